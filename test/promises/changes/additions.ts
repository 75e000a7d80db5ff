import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

type Change = (text: string) => string

/** A file that a step names, made of its own text or of that of another file. */
interface Step {
  readonly file: string
  readonly from?: string
  readonly change: Change
}

const rename: Change = (text) => text.replaceAll('listPets', 'newestPets').replaceAll('list-pets', 'newest-pets')

/** `GET /pets/newest`, after the example of `GET /pets`. */
const operation: readonly Step[] = [
  {
    file: 'shared/contract/openapi.yaml',
    change: (contract) => {
      const [, list = ''] = /\n {2}\/pets:\n( {4}get:\n.*?) {4}post:\n/s.exec(contract) ?? []
      // An anchor is defined once, and an alias of it is what stands there the second time.
      const aliased = list.replaceAll(/^( *)- &(\w+)\n(?:\1 {2}.*\n)*/gm, '$1- *$2\n')
      return contract.replace('\n  /pets/{petId}:\n', () => `\n  /pets/newest:\n${rename(aliased)}\n  /pets/{petId}:\n`)
    },
  },
  { file: 'functions/newest-pets/newest-pets.ts', from: 'functions/list-pets/list-pets.ts', change: rename },
  { file: 'functions/newest-pets/index.ts', from: 'functions/list-pets/index.ts', change: rename },
  {
    file: 'infra/constructs/functions/table-access.ts',
    change: (access) => access.replace(/ {2}'list-pets': .*\n/, (line) => line + rename(line)),
  },
  {
    file: 'test/events/newest-pets.json',
    from: 'test/events/list-pets.json',
    change: (event) => event.replaceAll(/"(\/v1)?\/pets"/g, '"$1/pets/newest"'),
  },
  {
    file: 'test/requests/newest-pets.ts',
    change: () => `import { type Scenario, scenario } from './scenario.ts'

export const newestPets: readonly Scenario[] = [
  scenario(
    'a page has no more pets than its limit',
    { send: 'POST /pets', body: { name: 'Milo', categoryId: 2 }, status: 201 },
    { send: 'GET /pets/newest?limit=2', status: 200, atMost: 2 },
  ),
]
`,
  },
  {
    file: 'test/requests/requests.ts',
    change: (requests) =>
      requests
        .replace('\nimport type { Scenario }', "\nimport { newestPets } from './newest-pets.ts'$&")
        .replace(/ {2}'list-store-orders': .*\n/, "$&  'newest-pets': newestPets,\n"),
  },
]

/** An optional `description` of a pet. */
const field: readonly Step[] = [
  {
    file: 'shared/contract/openapi.yaml',
    change: (contract) =>
      contract
        .replace(/(\n {4}NewPet:\n.*?)(\n {4}\w+:\n)/s, `$1${inSchema}$2`)
        .replace(/(\n {4}Pet:\n.*?)(\n {4}\w+:\n)/s, `$1${inSchema}$2`)
        .replace('\n    PetName:\n', () => `${descriptionSchema}    PetName:\n`),
  },
  {
    file: 'shared/pets/pet.ts',
    change: (pet) =>
      pet.replace(
        '  status: readStatus,\n',
        '$&  description: (attribute) => (attribute === undefined ? undefined : readText(attribute)),\n',
      ),
  },
]

const inSchema = '\n        description: { $ref: "#/components/schemas/PetDescription" }'

const descriptionSchema = `
    PetDescription:
      type: string
      description: What the animal is like.
      x-rule: a string of at most 1,000 characters
      maxLength: 1000
      pattern: '^([^\\uD800-\\uDFFF]|[\\uD800-\\uDBFF][\\uDC00-\\uDFFF])*$'
      examples: [Sleeps all day.]
`

/** A plan `charity` between the others. */
const plan: readonly Step[] = [
  {
    file: 'shared/api-keys/plans.ts',
    change: (plans) => plans.replace(/ {2}business: .*\n/, '  charity: { perMinute: 500, perDay: 20_000 },\n$&'),
  },
]

export const additions = { operation, field, plan } as const

/** The steps that somebody may forget, because no other step fails without them. */
export const filesOfOperation = operation
  .map(({ file }) => file)
  .filter((file) => !/openapi|newest-pets\.ts$/.test(file))

/** @param forgotten a file that is not written */
export const add = (repository: string, steps: readonly Step[], forgotten?: string): void => {
  for (const { file, from = file, change } of steps) {
    if (file === forgotten) continue
    const [source, target] = [join(repository, from), join(repository, file)]
    const before = existsSync(source) ? readFileSync(source, 'utf8') : ''
    const after = change(before)
    if (after === before) throw new Error(`The step changed nothing in ${file}: correct additions.ts.`)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, after)
  }
}
