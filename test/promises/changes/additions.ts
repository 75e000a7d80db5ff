import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** One step of an addition: writes one file. */
interface Step {
  /** The file to write. */
  readonly file: string
  /** The file that is changed into it. Default: the same file, or an empty text if there is none. */
  readonly basedOn?: string
  readonly change: (text: string) => string
}

/** A plan to add. */
export interface NewPlan {
  /** Number of plans before it. */
  readonly place: number
  readonly perMinute: number
  readonly perDay: number
}

const deletion = `    delete:
      operationId: deletePet
      tags: [pets]
      summary: Remove an animal
      description: Removes one animal.
      parameters:
        - $ref: "#/components/parameters/PetId"
      responses:
        "204":
          description: The animal was removed.
          headers: &removed
            X-RateLimit-Limit: { $ref: "#/components/headers/X-RateLimit-Limit" }
            X-RateLimit-Remaining: { $ref: "#/components/headers/X-RateLimit-Remaining" }
            X-RateLimit-Reset: { $ref: "#/components/headers/X-RateLimit-Reset" }
            x-amzn-RequestId: { $ref: "#/components/headers/x-amzn-RequestId" }
            x-amz-apigw-id: { $ref: "#/components/headers/x-amz-apigw-id" }
            Access-Control-Allow-Origin: { $ref: "#/components/headers/Access-Control-Allow-Origin" }
            RateLimit-Policy: { $ref: "#/components/headers/RateLimit-Policy" }
            RateLimit: { $ref: "#/components/headers/RateLimit" }
        "400": { $ref: "#/components/responses/InvalidRequest" }
        "401": { $ref: "#/components/responses/Unauthorized" }
        "403": { $ref: "#/components/responses/Forbidden" }
        "404":
          description: No animal has this id.
          headers: *removed
          content:
            application/json:
              schema: { $ref: "#/components/schemas/ErrorBody" }
              examples: { pet_not_found: { $ref: "#/components/examples/pet_not_found" } }
        "413": { $ref: "#/components/responses/RequestTooLarge" }
        "429": { $ref: "#/components/responses/TooManyRequests" }
        "500": { $ref: "#/components/responses/InternalError" }
        "503": { $ref: "#/components/responses/ServiceUnavailable" }
        "504": { $ref: "#/components/responses/GatewayTimeout" }
`

const deletePet = `import { deletePet as contract } from '../../shared/contract/generated/delete-pet.ts'
import { ServiceError } from '../../shared/errors/service-error.ts'
import { createOperationHandler } from '../../shared/http/operation.ts'
import { noContent } from '../../shared/http/response/response.ts'
import type { PetTable } from '../../shared/pets/pet-table.ts'

/** \`DELETE /pets/{petId}\`: removes one pet. A request to remove it again succeeds too. */
export const deletePet = ({ pets }: { readonly pets: PetTable }) =>
  createOperationHandler(contract, async ({ path: { petId } }) => {
    const isFound = await pets.remove(petId)
    if (!isFound) throw new ServiceError('pet_not_found')
    return noContent()
  })
`

const deletePetIndex = `import { createDocumentClient } from '../../shared/dynamodb/document-client.ts'
import { environmentVariables as names, readTextVariable } from '../../shared/environment-variables.ts'
import { PetTable } from '../../shared/pets/pet-table.ts'
import { deletePet } from './delete-pet.ts'

export const handler = deletePet({ pets: new PetTable(createDocumentClient(), readTextVariable(names.petsTable)) })
`

const removeMethod = `  /** Removes a pet. Its item stays, without the pet. @returns whether the id has an item */
  async remove(id: bigint): Promise<boolean> {
    const fields = newPetFields.map((field) => \`#\${field}\`).join(', ')
    const update = new UpdateCommand({
      TableName: this.#table,
      Key: { id },
      UpdateExpression: \`SET \${removed} = :true ADD \${changeCount} :one REMOVE \${fields}\`,
      ConditionExpression: 'attribute_exists(id)',
      // Some names are reserved words of DynamoDB.
      ExpressionAttributeNames: Object.fromEntries(newPetFields.map((field) => [\`#\${field}\`, field])),
      ExpressionAttributeValues: { ':true': true, ':one': 1 },
    })
    const outcome = await awaitConditionalWrite(this.client.send(update))
    return outcome.met
  }

`

const deletionRequests = `import type { Scenario } from './scenario.ts'

export const deletePet: readonly Scenario[] = [
  {
    title: 'a removed pet is not found, and the response to its removal has no body',
    steps: [
      { send: 'POST /pets', body: { name: 'Milo', categoryId: 2 }, status: 201 },
      { send: 'DELETE /pets/{id}', status: 204, responseText: '' },
      { send: 'GET /pets/{id}', status: 404, code: 'pet_not_found' },
    ],
  },
  {
    title: 'a removal of no pet is 404',
    steps: [{ send: 'DELETE /pets/1', status: 404, code: 'pet_not_found' }],
  },
]
`

/** Adds `DELETE /pets/{petId}`, which responds 204, to the path of getPet. */
const operationSteps: readonly Step[] = [
  {
    file: 'shared/contract/openapi.yaml',
    change: (contract) => contract.replace('\n  /store/orders:\n', (nextPath) => deletion + nextPath),
  },
  {
    file: 'shared/pets/pet-table.ts',
    change: (store) =>
      store
        .replace('QueryCommand }', 'QueryCommand, UpdateCommand }')
        .replace('import { type Pet,', 'import { newPetFields, type Pet,')
        .replace('  /** Lists one page of pets, the newest first. */\n', (nextMethod) => removeMethod + nextMethod),
  },
  {
    file: 'functions/delete-pet/delete-pet.ts',
    change: () => deletePet,
  },
  {
    file: 'functions/delete-pet/index.ts',
    change: () => deletePetIndex,
  },
  {
    file: 'infra/constructs/functions/table-access.ts',
    change: (tableAccess) =>
      tableAccess.replace(
        "  'get-pet': ",
        "  'delete-pet': [{ table: 'pets', actions: ['dynamodb:UpdateItem'] }],\n$&",
      ),
  },
  {
    file: 'test/events/delete-pet.json',
    basedOn: 'test/events/get-pet.json',
    change: (event) => event.replaceAll('"GET"', '"DELETE"'),
  },
  {
    file: 'test/requests/delete-pet.ts',
    change: () => deletionRequests,
  },
  {
    file: 'test/requests/requests.ts',
    change: (list) =>
      list
        .replace("\nimport { getPet } from './get-pet.ts'", "\nimport { deletePet } from './delete-pet.ts'$&")
        .replace("  'get-pet': getPet,\n", "  'delete-pet': deletePet,\n$&"),
  },
  {
    file: 'README.md',
    change: (readme) =>
      readme.replace('\n| `GET /store/orders` |', '\n| `DELETE /pets/{petId}` | removes an animal |$&'),
  },
]

const newProperties = `
        description: { $ref: "#/components/schemas/PetDescription" }
        age: { type: integer, description: Age in years., minimum: 0, maximum: 30, examples: [3] }
        vaccinated: { type: boolean, description: Whether the animal is vaccinated., examples: [true] }`

const descriptionSchema = `
    PetDescription:
      type: string
      description: What the animal is like.
      maxLength: 1000
      examples: [Sleeps all day.]
`

const newReaders = `  description: optional(readTextAttribute),
  age: optional(readInt64Attribute),
  vaccinated: optional(readBooleanAttribute),
`

const newPythonFields = `    description: str
    age: int
    vaccinated: bool
`

const optionalPetFields = `class Pet(_RequiredPet, total=False):
    """An animal."""

${newPythonFields}

`

/** Adds fields of a pet, which are optional: a string, an integer and a boolean. */
const fieldSteps: readonly Step[] = [
  {
    file: 'shared/contract/openapi.yaml',
    change: (contract) =>
      contract
        // Adds the properties at the end of the schemas `Pet` and `PetInput`.
        .replaceAll(/\n {4}Pet(?:Input)?:\n.*?(?=\n {4}\w+:\n)/gs, (schema) => schema + newProperties)
        .replace('\n    CategoryId:\n', () => `${descriptionSchema}    CategoryId:\n`),
  },
  {
    file: 'shared/pets/pet.ts',
    change: (pet) =>
      pet
        .replace('  type ItemReading,\n', '$&  optional,\n  readBooleanAttribute,\n')
        .replace('  status: createWordReader(petStatuses),\n', (lastReader) => lastReader + newReaders),
  },
  {
    file: 'infra/reference/clients/python/pet_adoption.py',
    change: (client) =>
      client
        .replace('class Pet(TypedDict):\n    """An animal."""\n\n', 'class _RequiredPet(TypedDict):\n')
        .replace('class _RequiredNewPet(', `${optionalPetFields}$&`)
        .replace('left out, it is `available`."""\n\n    status: PetStatus\n', (fields) => fields + newPythonFields),
  },
]

/** Adds the plan `charity`. The throttle of each environment becomes large enough for any of the plans drawn. */
const createPlanSteps = ({ place, perMinute, perDay }: NewPlan): readonly Step[] => [
  {
    file: 'shared/api-keys/plans.ts',
    change: (plans) => {
      const planLines = plans.match(/^ {2}\w+: \{ perMinute: [\d_]+, perDay: [\d_]+ \},\n/gm) ?? []
      const line = `  charity: { perMinute: ${perMinute}, perDay: ${perDay} },\n`
      return plans.replace(planLines.join(''), planLines.toSpliced(place, 0, line).join(''))
    },
  },
  {
    file: 'README.md',
    change: (readme) => {
      const rows = readme.match(/^\| (Free|Pro|Business) \|.*\n/gm) ?? []
      const row = `| Charity | ${perMinute.toLocaleString('en-US')} | ${perDay.toLocaleString('en-US')} |\n`
      return readme.replace(rows.join(''), rows.toSpliced(place, 0, row).join(''))
    },
  },
  {
    file: 'infra/environments.ts',
    change: (environments) =>
      environments.replaceAll(
        /methodThrottle: \{ .* \}/g,
        'methodThrottle: { requestsPerSecond: 2_000, burst: 10_000 }',
      ),
  },
  {
    file: 'test/unit/infra/stacks/promised-values.test.ts',
    change: (values) =>
      values
        .replaceAll(/'throttle of a method': [\d_]+,/g, "'throttle of a method': 2_000,")
        .replaceAll(/'burst of a method': [\d_]+,/g, "'burst of a method': 10_000,"),
  },
]

export const addOperation = (repository: string): void => applySteps(repository, operationSteps)

export const addFields = (repository: string): void => applySteps(repository, fieldSteps)

export const addPlan = (repository: string, plan: NewPlan): void => applySteps(repository, createPlanSteps(plan))

const applySteps = (repository: string, steps: readonly Step[]): void => {
  for (const { file, basedOn = file, change } of steps) {
    const source = join(repository, basedOn)
    const before = existsSync(source) ? readFileSync(source, 'utf8') : ''
    const after = change(before)
    if (after === before) throw new Error(`The step changed nothing in ${file}: correct additions.ts.`)

    const target = join(repository, file)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, after)
  }
}
