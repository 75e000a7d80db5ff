import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Change = (text: string) => string

/** A file that a step names, made of its own text or of that of another file. */
type Step = readonly [file: string, change: Change, from?: string]

const rename: Change = (text) => text.replaceAll('listPets', 'newestPets').replaceAll('list-pets', 'newest-pets')

const describeOperation: Change = (contract) => {
  const [, list = ''] = /\n {2}\/pets:\n( {4}get:\n.*?) {4}post:\n/s.exec(contract) ?? []
  // An anchor is defined once, and an alias of it is what stands there the second time.
  const aliased = list.replaceAll(/^( *)- &(\w+)\n(?:\1 {2}.*\n)*/gm, '$1- *$2\n')
  return contract.replace('\n  /pets/{petId}:\n', () => `\n  /pets/newest:\n${rename(aliased)}\n  /pets/{petId}:\n`)
}

const requests = `import type { Scenario } from './scenario.ts'

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

const listRequests: Change = (list) =>
  list
    .replace('\nimport type { Scenario }', "\nimport { newestPets } from './newest-pets.ts'$&")
    .replace(/ {2}'list-store-orders': .*\n/, "$&  'newest-pets': newestPets,\n")

/** `GET /pets/newest`, after the example of `GET /pets`. */
const operation: readonly Step[] = [
  ['shared/contract/openapi.yaml', describeOperation],
  ['functions/newest-pets/newest-pets.ts', rename, 'functions/list-pets/list-pets.ts'],
  ['functions/newest-pets/index.ts', rename, 'functions/list-pets/index.ts'],
  [
    'infra/constructs/functions/table-access.ts',
    (access) => access.replace(/ {2}'list-pets': .*\n/, (line) => line + rename(line)),
  ],
  [
    'test/events/newest-pets.json',
    (event) => event.replaceAll(/"(\/v1)?\/pets"/g, '"$1/pets/newest"'),
    'test/events/list-pets.json',
  ],
  ['test/requests/newest-pets.ts', () => requests],
  ['test/requests/requests.ts', listRequests],
]

const inSchema = '\n        description: { $ref: "#/components/schemas/PetDescription" }'

const reading = '  description: (attribute) => (attribute === undefined ? undefined : readTextAttribute(attribute)),\n'

const descriptionSchema = `
    PetDescription:
      type: string
      description: What the animal is like.
      x-rule: a string of at most 1,000 characters
      maxLength: 1000
      pattern: '^([^\\uD800-\\uDFFF]|[\\uD800-\\uDBFF][\\uDC00-\\uDFFF])*$'
      examples: [Sleeps all day.]
`

/** An optional `description` of a pet. */
const field: readonly Step[] = [
  [
    'shared/contract/openapi.yaml',
    (contract) =>
      contract
        .replaceAll(/\n {4}(?:New)?Pet:\n.*?(?=\n {4}\w+:\n)/gs, `$&${inSchema}`)
        .replace('\n    PetName:\n', () => `${descriptionSchema}    PetName:\n`),
  ],
  ['shared/pets/pet.ts', (pet) => pet.replace('  status: readStatusAttribute,\n', `$&${reading}`)],
]

/** A plan `charity` between the others. */
const plan: readonly Step[] = [
  [
    'shared/api-keys/plans.ts',
    (plans) => plans.replace(/ {2}business: .*\n/, '  charity: { perMinute: 500, perDay: 20_000 },\n$&'),
  ],
]

export const additions = { operation, field, plan } as const

/** The steps that somebody may forget, because no other step fails without them. */
export const filesOfOperation = operation.map(([file]) => file).filter((file) => !/openapi|newest-pets\.ts$/.test(file))

/** @param forgotten a file that is not written */
export const add = (repository: string, steps: readonly Step[], forgotten?: string): void => {
  for (const [file, change, from = file] of steps) {
    if (file === forgotten) continue
    const [source, target] = [join(repository, from), join(repository, file)]
    const before = existsSync(source) ? readFileSync(source, 'utf8') : ''
    const after = change(before)
    if (after === before) throw new Error(`The step changed nothing in ${file}: correct additions.ts.`)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, after)
  }
}
