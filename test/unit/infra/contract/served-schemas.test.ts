/** Schemas that the generator accepts are served: requests go through the generated module and `readInput`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, expect, test } from 'vitest'
import { repositoryRoot } from '../../../../infra/command-line/repository-root.ts'
import { readContract } from '../../../../infra/contract/contract.ts'
import type { ContractBody, ContractParameter, JsonSchema } from '../../../../infra/contract/openapi.ts'
import { readOperationInput } from '../../../../infra/contract/operation-input.ts'
import { generateOperationModule, generateValidator } from '../../../../infra/contract/service-modules.ts'
import { parseExactJson } from '../../../../shared/exact-json.ts'
import type { OperationContract } from '../../../../shared/http/operation-contract.ts'
import { readInput } from '../../../../shared/http/request/read-input.ts'
import { readGatewayEvent } from '../../../events/events.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'

interface ServedSchema {
  readonly schema: JsonSchema
  /** Words that follow "must be" in the message about an invalid value. */
  readonly rule: string
  /** Values that the schema allows. An integer is a bigint. */
  readonly valid: readonly (boolean | bigint | string)[]
  /** Values that the schema refuses, in a body or, as text, in a parameter. */
  readonly invalid: readonly (boolean | bigint | number | string | null)[]
}

const servedSchemas: Readonly<Record<string, ServedSchema>> = {
  vaccinated: {
    schema: { type: 'boolean' },
    rule: 'true or false',
    valid: [true, false],
    invalid: ['yes', 1n, null],
  },
  age: {
    schema: { type: 'integer', minimum: -1, maximum: 30 },
    rule: 'an integer from -1 to 30',
    valid: [-1n, 0n, 30n],
    invalid: [-2n, 31n, 0.5, '05', '+5', true, null],
  },
  chip: {
    schema: { type: 'integer', format: 'int32' },
    rule: 'an integer from -2147483648 to 2147483647',
    valid: [-(2n ** 31n), 2n ** 31n - 1n],
    invalid: [-(2n ** 31n) - 1n, 2n ** 31n],
  },
  code: {
    schema: { type: 'integer', format: 'int64', minimum: 0 },
    rule: 'an integer from 0 to 9223372036854775807',
    // A number would round 2^53 + 1.
    valid: [0n, 2n ** 53n + 1n, 2n ** 63n - 1n],
    invalid: [-1n, 2n ** 63n],
  },
  name: {
    schema: { type: 'string', minLength: 1, maxLength: 3 },
    rule: 'a string of 1 to 3 characters',
    // A character outside of the Basic Multilingual Plane counts once.
    valid: ['a', 'abc', '🐶🐶🐶'],
    invalid: ['', 'abcd', '🐶🐶🐶🐶'],
  },
  breed: {
    schema: { type: 'string', maxLength: 5, pattern: '^\\S*$', 'x-rule': 'without spaces' },
    rule: 'a string of at most 5 characters, without spaces',
    valid: ['', 'mixed'],
    invalid: ['a b', 'longer'],
  },
  size: {
    schema: { type: 'string', enum: ['small', 'very large'] },
    rule: 'one of small, very large',
    valid: ['small', 'very large'],
    invalid: ['', 'large', 'constructor'],
  },
}

/** Generates the modules of an operation that takes each schema in its query, its headers and its body. */
const generateOperation = async (): Promise<OperationContract> => {
  const properties = Object.fromEntries(Object.entries(servedSchemas).map(([name, { schema }]) => [name, schema]))
  const parameters = (['query', 'header'] as const).flatMap((location) =>
    Object.entries(properties).map(([name, schema]): ContractParameter => ({ name, in: location, schema })),
  )
  const bodySchema = { type: 'object', additionalProperties: false, properties }
  const content = { 'application/json': { schema: bodySchema } }
  const body: ContractBody = { description: 'A.', required: true, content }
  // The generator needs a whole operation of the contract, so create-pet gets the input of this test.
  const createPetOperation = readContract().operations.find(({ name }) => name === 'create-pet')
  if (createPetOperation === undefined) throw new Error('The contract has no operation create-pet.')
  const served = { ...createPetOperation, input: readOperationInput(parameters, body, 'PUT /pets') }

  const folder = createTemporaryFolder()
  // The extension tells esbuild that this is an ES module.
  const entryPoint = join(folder, 'operation.mts')
  writeFileSync(entryPoint, generateOperationModule(served))
  writeFileSync(join(folder, 'create-pet.validator.cjs'), generateValidator(served.input))
  const outfile = join(folder, 'operation.mjs')
  const nodePaths = [join(repositoryRoot, 'node_modules')]
  await build({ entryPoints: [entryPoint], bundle: true, format: 'esm', nodePaths, outfile })
  const { createPet } = await import(/* @vite-ignore */ outfile)
  return createPet
}

let operation: OperationContract
beforeAll(async () => {
  operation = await generateOperation()
})

type Part = 'query' | 'headers' | 'body'

/** Reads a request with one value. Returns the value that the function gets. */
const readValue = (part: Part, name: string, text: string): unknown => {
  const values = { [name]: [text] }
  const event = readGatewayEvent('list-pets', {
    multiValueQueryStringParameters: part === 'query' ? values : null,
    multiValueHeaders: part === 'headers' ? values : {},
    // The body parser of the service puts the parsed body into the event, whose type has only text there.
    body: parseExactJson(part === 'body' ? `{"${name}":${text}}` : '{}') as string,
  })
  return new Map<string, unknown>(Object.entries(readInput(operation, event)[part] ?? {})).get(name)
}

const formatJson = (value: unknown): string => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))

test.each(Object.entries(servedSchemas))('%s is served exactly if its schema allows the value', (name, served) => {
  for (const value of served.valid) {
    expect(readValue('query', name, String(value))).toBe(value)
    expect(readValue('headers', name, String(value))).toBe(value)
    expect(readValue('body', name, formatJson(value))).toBe(value)
  }
  for (const value of served.invalid) {
    const message = `${name} must be ${served.rule}.`
    expect(() => readValue('body', name, formatJson(value)), formatJson(value)).toThrow(message)
    // A parameter is text, so any value is a valid string of its length, and `true` a valid boolean.
    if (typeof value === 'string') expect(() => readValue('query', name, value), value).toThrow(message)
  }
})

test('half of a surrogate pair is refused in a field', () => {
  expect(() => readValue('body', 'name', '"\\ud83d"')).toThrow(
    'name has half of a surrogate pair. Send well-formed Unicode.',
  )
})
