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

const renameOperation = (text: string): string =>
  text.replaceAll('listPets', 'newestPets').replaceAll('list-pets', 'newest-pets')

/** Adds the path `/pets/newest` to the contract, as a copy of `GET /pets`. */
const addPathToContract = (contract: string): string => {
  const [, listOperation = ''] = /\n {2}\/pets:\n( {4}get:\n.*?) {4}post:\n/s.exec(contract) ?? []
  // Replace each list item that defines an anchor (`- &name` and its lines) with an alias (`- *name`), so that the
  // contract defines each anchor once.
  const copy = listOperation.replaceAll(/^( *)- &(\w+)\n(?:\1 {2}.*\n)*/gm, '$1- *$2\n')
  const newPath = `\n  /pets/newest:\n${renameOperation(copy)}`
  return contract.replace('\n  /pets/{petId}:\n', (nextPath) => newPath + nextPath)
}

const newRequests = `import type { Scenario } from './scenario.ts'

export const newestPets: readonly Scenario[] = [
  {
    title: 'a page has no more pets than its limit',
    steps: [
      { send: 'POST /pets', body: { name: 'Milo', categoryId: 2 }, status: 201 },
      { send: 'GET /pets/newest?limit=2', status: 200 },
    ],
  },
]
`

const addToListOfRequests = (list: string): string =>
  list
    .replace('\nimport type { Scenario }', "\nimport { newestPets } from './newest-pets.ts'$&")
    .replace(/ {2}'list-store-orders': .*\n/, "$&  'newest-pets': newestPets,\n")

/** Adds the operation `GET /pets/newest`, a copy of `GET /pets`. */
const operationSteps: readonly Step[] = [
  {
    file: 'shared/contract/openapi.yaml',
    change: addPathToContract,
  },
  {
    file: 'functions/newest-pets/newest-pets.ts',
    basedOn: 'functions/list-pets/list-pets.ts',
    change: renameOperation,
  },
  {
    file: 'functions/newest-pets/index.ts',
    basedOn: 'functions/list-pets/index.ts',
    change: renameOperation,
  },
  {
    file: 'infra/constructs/functions/table-access.ts',
    change: (tableAccess) => tableAccess.replace(/ {2}'list-pets': .*\n/, (line) => line + renameOperation(line)),
  },
  {
    file: 'test/events/newest-pets.json',
    basedOn: 'test/events/list-pets.json',
    change: (event) => event.replaceAll(/"(\/v1)?\/pets"/g, '"$1/pets/newest"'),
  },
  {
    file: 'test/requests/newest-pets.ts',
    change: () => newRequests,
  },
  {
    file: 'test/requests/requests.ts',
    change: addToListOfRequests,
  },
]

/**
 * Files that the new operation needs, but that none of its other files imports. So a person who adds an operation may
 * forget them.
 */
export const forgettableFiles = [
  'functions/newest-pets/index.ts',
  'infra/constructs/functions/table-access.ts',
  'test/events/newest-pets.json',
  'test/requests/requests.ts',
] as const

/** Adds `DELETE /pets/{petId}` to the contract. */
const addDeletionToContract = (contract: string): string =>
  contract.replace(
    '\n  /store/orders:\n',
    `    delete:
      operationId: deletePet
      tags: [pets]
      summary: Remove an animal
      description: Removes one animal.
      parameters:
        - $ref: "#/components/parameters/PetId"
      responses:
        <<: *everyOperation
        "204":
          description: The animal was removed.
          headers: { <<: [*everyResponse, *windows] }
        "403": { $ref: "#/components/responses/Forbidden" }
        "404":
          description: No animal has this id.
          headers: { <<: [*everyResponse, *windows] }
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Error" }
              examples: { pet_not_found: { $ref: "#/components/examples/pet_not_found" } }
$&`,
  )

const renameGetPet = (text: string): string =>
  text.replaceAll('getPet', 'deletePet').replaceAll('get-pet', 'delete-pet')

const deletionRequests = `import type { Scenario } from './scenario.ts'

export const deletePet: readonly Scenario[] = [
  {
    title: 'a removal has no body',
    steps: [
      { send: 'POST /pets', body: { name: 'Milo', categoryId: 2 }, status: 201 },
      { send: 'DELETE /pets/{id}', status: 204, responseText: '' },
    ],
  },
  {
    title: 'a removal of no pet is 404',
    steps: [{ send: 'DELETE /pets/1', status: 404, code: 'pet_not_found' }],
  },
]
`

/** Adds an operation that responds 204. For shortness it removes nothing. */
const deletionSteps: readonly Step[] = [
  {
    file: 'shared/contract/openapi.yaml',
    change: addDeletionToContract,
  },
  {
    file: 'functions/delete-pet/delete-pet.ts',
    basedOn: 'functions/get-pet/get-pet.ts',
    change: (getPet) => renameGetPet(getPet).replace('{ ok }', '{ noContent }').replace('ok(pet)', 'noContent()'),
  },
  {
    file: 'functions/delete-pet/index.ts',
    basedOn: 'functions/get-pet/index.ts',
    change: renameGetPet,
  },
  {
    file: 'infra/constructs/functions/table-access.ts',
    change: (tableAccess) => tableAccess.replace(/ {2}'get-pet': .*\n/, (line) => line + renameGetPet(line)),
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

const newReaders = `
  description: optional(readTextAttribute),
  age: optional(readInt64Attribute),
  vaccinated: optional(readBooleanAttribute),`

const booleanReader = `
const readBooleanAttribute = (attribute: unknown): boolean | typeof malformed =>
  typeof attribute === 'boolean' ? attribute : malformed
`

/** Adds fields of a pet, which are optional: a string, an integer and a boolean. */
const fieldSteps: readonly Step[] = [
  {
    file: 'shared/contract/openapi.yaml',
    change: (contract) =>
      contract
        // Adds the properties at the end of the schemas `Pet` and `NewPet`.
        .replaceAll(/\n {4}(?:New)?Pet:\n.*?(?=\n {4}\w+:\n)/gs, (schema) => schema + newProperties)
        .replace('\n    PetName:\n', () => `${descriptionSchema}    PetName:\n`),
  },
  {
    file: 'shared/pets/pet.ts',
    change: (pet) =>
      pet
        .replace('  status: readStatusAttribute,', (line) => line + newReaders)
        .replace('\nconst readStatusAttribute', (reader) => booleanReader + reader)
        .replace('  malformed,\n', '$&  optional,\n'),
  },
]

/** Adds the plan `charity` between two other plans. */
const planSteps: readonly Step[] = [
  {
    file: 'shared/api-keys/plans.ts',
    change: (plans) => plans.replace(/ {2}business: .*\n/, '  charity: { perMinute: 500, perDay: 20_000 },\n$&'),
  },
]

/** Adds the operation without the forgotten file. */
export const addOperation = (repository: string, forgottenFile?: string): void =>
  applySteps(
    repository,
    operationSteps.filter(({ file }) => file !== forgottenFile),
  )

/** Adds an operation whose success has no body. */
export const addDeletion = (repository: string): void => applySteps(repository, deletionSteps)

export const addFields = (repository: string): void => applySteps(repository, fieldSteps)

export const addPlan = (repository: string): void => applySteps(repository, planSteps)

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
