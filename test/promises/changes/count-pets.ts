import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What somebody writes who adds `GET /pets/count` by the list in README.md: for each file its whole text or its change. */
const files: Readonly<Record<string, (text: string) => string>> = {
  'shared/contract/openapi.yaml': (contract) =>
    contract
      .replace('\n  /pets/{petId}:\n', `\n${path}\n  /pets/{petId}:\n`)
      .replace('\n    ErrorCode:\n', `\n${schema}    ErrorCode:\n`),
  'functions/count-pets/count-pets.ts': () => handler,
  'functions/count-pets/index.ts': () => entryPoint,
  'shared/pets/pet-store.ts': (store) =>
    store
      .replace('  async #newest(', `${count}\n  async #newest(`)
      .replace('#status = :status AND id < :before', '#status = :status AND id < :before'),
  'infra/constructs/functions/table-access.ts': (access) =>
    access.replace(
      "  'list-store-orders': [],\n",
      "  'count-pets': [{ table: 'pets', index: petsTable.statusIndex.name, actions: ['dynamodb:Query'] }],\n$&",
    ),
  'test/events/count-pets.json': () => '',
  'test/e2e/count-pets.test.ts': () => endToEndTest,
}

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

const entryPoint = `import { documentClient } from '../../shared/dynamodb/document-client.ts'
import { environmentVariables as names, readText } from '../../shared/environment-variables.ts'
import { PetStore } from '../../shared/pets/pet-store.ts'
import { countPets } from './count-pets.ts'

export const handler = countPets(new PetStore(documentClient(), readText(names.petsTable)))
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

export const addCountPets = (repository: string): void => {
  for (const [name, change] of Object.entries(files)) {
    const file = join(repository, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, change(read(file)))
  }
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
