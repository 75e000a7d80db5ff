import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Change = (text: string) => string

/**
 * What somebody writes who adds `GET /pets/count` by the list in README.md: in each file, made of its text or of that of
 * another one.
 */
const changes: readonly { readonly file: string; readonly from?: string; readonly change: Change }[] = [
  {
    file: 'shared/contract/openapi.yaml',
    change: (contract) =>
      contract
        .replace('\n  /pets/{petId}:\n', `\n${path}$&`)
        .replace('\n    ErrorCode:\n', `\n${schema}    ErrorCode:\n`),
  },
  {
    file: 'infra/contract/lint-exceptions.ts',
    change: (exceptions) => exceptions.replace("places: ['#/paths/~1store~1orders'],", lintException),
  },
  { file: 'functions/count-pets/count-pets.ts', change: () => handler },
  {
    file: 'functions/count-pets/index.ts',
    from: 'functions/list-pets/index.ts',
    change: (index) => index.replaceAll('listPets', 'countPets').replace('list-pets', 'count-pets'),
  },
  {
    file: 'shared/pets/pet-store.ts',
    change: (store) => store.replace('  async #newest(', `${count}\n$&`),
  },
  {
    file: 'infra/constructs/functions/table-access.ts',
    change: (access) => access.replace(/ {2}'list-pets': (.*)\n/, "$&  'count-pets': $1\n"),
  },
  {
    file: 'test/events/count-pets.json',
    from: 'test/events/list-pets.json',
    change: (event) => event.replaceAll(/"(\/v1)?\/pets"/g, '"$1/pets/count"'),
  },
  { file: 'test/e2e/count-pets.test.ts', change: () => endToEndTest },
  {
    file: 'README.md',
    change: (readme) => readme.replace('| `GET /pets/{petId}`', '| `GET /pets/count` | the number of animals |\n$&'),
  },
]

const path = `  /pets/count:
    get:
      operationId: countPets
      tags: [pets]
      summary: Count animals
      description: How many animals there are with an availability.
      parameters:
        - $ref: "#/components/parameters/Status"
      responses:
        "200":
          description: The number of animals.
          headers:
            X-RateLimit-Limit: { $ref: "#/components/headers/X-RateLimit-Limit" }
            X-RateLimit-Remaining: { $ref: "#/components/headers/X-RateLimit-Remaining" }
            X-RateLimit-Reset: { $ref: "#/components/headers/X-RateLimit-Reset" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
            Access-Control-Allow-Origin: { $ref: "#/components/headers/Access-Control-Allow-Origin" }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/PetCount" }
              examples:
                several:
                  summary: Twelve animals
                  value: { count: 12 }
        "400": { $ref: "#/components/responses/InvalidParameters" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/Blocked" }
        "413": { $ref: "#/components/responses/RequestTooLarge" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "500": { $ref: "#/components/responses/InternalError" }
        "503": { $ref: "#/components/responses/ServiceUnavailable" }
        "504": { $ref: "#/components/responses/GatewayTimeout" }
`

const schema = `    PetCount:
      type: object
      description: How many animals there are.
      additionalProperties: false
      required: [count]
      properties:
        count:
          type: integer
          format: int32
          description: The number of animals.
          minimum: 0
          maximum: 2147483647
          examples: [12]
`

const handler = `import { countPets as contract } from '../../shared/contract/generated/count-pets.ts'
import { operation } from '../../shared/http/operation.ts'
import { ok } from '../../shared/http/response.ts'
import type { PetStore } from '../../shared/pets/pet-store.ts'

/** \`GET /pets/count\`: how many pets there are, of one status or of all. */
export const countPets = (pets: PetStore) =>
  operation(contract, async ({ query: { status } }) => ok({ count: await pets.count(status) }))
`

const count = `  /** How many pets there are, of one status or of all. */
  async count(status?: PetStatus): Promise<number> {
    const partitions = await Promise.all((status === undefined ? petStatuses : [status]).map((one) => this.#count(one)))
    return partitions.reduce((sum, partition) => sum + partition, 0)
  }

  async #count(status: PetStatus): Promise<number> {
    let count = 0
    let start: Attributes | undefined
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.#table,
          IndexName: petsTable.statusIndex.name,
          ExpressionAttributeNames: { '#status': 'status' },
          KeyConditionExpression: '#status = :status',
          ExpressionAttributeValues: { ':status': status },
          Select: 'COUNT',
          ...(start && { ExclusiveStartKey: start }),
        }),
      )
      count += page.Count ?? 0
      start = page.LastEvaluatedKey
    } while (start !== undefined)
    return count
  }
`

const endToEndTest = `import { describe, expect, it } from 'vitest'
import { call, createPet } from './api.ts'

describe('GET /pets/count', () => {
  it('counts the pets of a status', async () => {
    const count = async () => (await call('GET', '/pets/count?status=sold')).json<{ count: number }>().count
    const before = await count()
    await createPet({ name: 'Milo', categoryId: 2, status: 'sold' })
    expect(await count()).toBe(before + 1)
  })
})
`

const lintException = `places: ['#/paths/~1store~1orders', '#/paths/~1pets~1count'],`

/** The files that a step of the list names, and that somebody may forget. */
export const filesOfCountPets = [
  'infra/contract/lint-exceptions.ts',
  'functions/count-pets/index.ts',
  'infra/constructs/functions/table-access.ts',
  'test/events/count-pets.json',
  'test/e2e/count-pets.test.ts',
  'README.md',
]

/** @param forgotten a file that is not written */
export const addCountPets = (repository: string, forgotten?: string): void => {
  for (const { file, from = file, change } of changes) {
    if (file === forgotten) continue
    const source = join(repository, from)
    const target = join(repository, file)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, change(existsSync(source) ? readFileSync(source, 'utf8') : ''))
  }
}
