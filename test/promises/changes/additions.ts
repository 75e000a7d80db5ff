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

const descriptionProperty = '\n        description: { $ref: "#/components/schemas/PetDescription" }'

const descriptionSchema = `
    PetDescription:
      type: string
      description: What the animal is like.
      x-rule: a string of at most 1,000 characters
      maxLength: 1000
      pattern: '^([^\\uD800-\\uDFFF]|[\\uD800-\\uDBFF][\\uDC00-\\uDFFF])*$'
      examples: [Sleeps all day.]
`

const descriptionReader =
  '  description: (attribute) => (attribute === undefined ? undefined : readTextAttribute(attribute)),\n'

/** Adds the field `description` of a pet, which is optional. */
const fieldSteps: readonly Step[] = [
  {
    file: 'shared/contract/openapi.yaml',
    change: (contract) =>
      contract
        // Adds the property at the end of the schemas `Pet` and `NewPet`.
        .replaceAll(/\n {4}(?:New)?Pet:\n.*?(?=\n {4}\w+:\n)/gs, `$&${descriptionProperty}`)
        .replace('\n    PetName:\n', () => `${descriptionSchema}    PetName:\n`),
  },
  {
    file: 'shared/pets/pet.ts',
    change: (pet) => pet.replace('  status: readStatusAttribute,\n', `$&${descriptionReader}`),
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

export const addField = (repository: string): void => applySteps(repository, fieldSteps)

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
