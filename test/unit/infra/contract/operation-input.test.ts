import { expect, test } from 'vitest'
import type { ContractBody, ContractParameter } from '../../../../infra/contract/openapi.ts'
import { readInputSchema, readOperationInput } from '../../../../infra/contract/operation-input.ts'

/** Creates a query parameter that is valid without a change. */
const createParameter = (change: Partial<ContractParameter>): ContractParameter => ({
  name: 'limit',
  in: 'query',
  schema: { type: 'boolean' },
  ...change,
})

/** Creates a body whose schema is valid without a change. */
const createBody = (change: object, required = true): ContractBody => {
  const properties = { age: { type: 'integer', minimum: 0, maximum: 30 } }
  const schema = { type: 'object', additionalProperties: false, properties, ...change }
  return { description: 'A pet.', required, content: { 'application/json': { schema } } }
}

test('the fields of a body are required or optional as the contract says', () => {
  const properties = { age: { type: 'integer', minimum: 0, maximum: 30 }, vaccinated: { type: 'boolean' } }

  const { body } = readOperationInput([], createBody({ properties, required: ['age'] }), 'POST /pets')

  expect(body).toMatchObject([
    { name: 'age', isRequired: true, kind: 'integer' },
    { name: 'vaccinated', isRequired: false, kind: 'boolean' },
  ])
})

test.each([
  {
    change: { name: 'filter[age]' },
    problem: 'parameter filter[age]: use letters, digits, - and _, and no name that every object has',
  },
  {
    change: { name: 'constructor' },
    problem: 'parameter constructor: use letters, digits, - and _, and no name that every object has',
  },
  { change: { name: 'id', in: 'path' as const }, problem: 'parameter id: a path parameter must be required' },
  { change: { name: 'Authorization', in: 'header' as const }, problem: 'parameter Authorization: OpenAPI reserves' },
  { change: { schema: { type: 'number' } }, problem: 'parameter limit: the type number is not served' },
  {
    change: { required: true, schema: { type: 'boolean', default: true } },
    problem: 'parameter limit: it has a default, so it must not be required',
  },
])('the parameter $change is refused', ({ change, problem }) => {
  expect(() => readOperationInput([createParameter(change)], undefined, 'GET /pets')).toThrow(`GET /pets, ${problem}`)
})

const refusedBodies: readonly { readonly change: object; readonly problem: string }[] = [
  { change: { type: 'array' }, problem: 'body: it must have "type: object" and "additionalProperties: false"' },
  { change: { additionalProperties: true }, problem: 'body: it must have "type: object" and' },
  { change: { minProperties: 1 }, problem: 'body: the keyword minProperties is not served' },
  { change: { properties: { age: { type: 'null' } } }, problem: 'body, field age: the type null is not served' },
  {
    change: { properties: { age: { type: 'boolean', default: true } } },
    problem: 'body, field age: it has a default, and generators of clients make such a field required.',
  },
  {
    change: { properties: { toString: { type: 'boolean' } } },
    problem: 'body, field toString: use letters, digits, - and _, and no name that every object has',
  },
]

test.each(refusedBodies)('a body with $change is refused', ({ change, problem }) => {
  expect(() => readOperationInput([], createBody(change), 'POST /pets')).toThrow(`POST /pets, ${problem}`)
})

test('a body that is not required is refused', () => {
  const body = createBody({}, false)

  expect(() => readOperationInput([], body, 'POST /pets')).toThrow('POST /pets, body: it must have "required: true"')
})

const place = 'POST /pets, body, field age'

const wrongBounds = 'minimum and maximum must be whole numbers of at most 53 bits, in order and within the format'

// The rules of accepted schemas are tested in served-schemas.test.ts.

test.each([
  { schema: { type: 'boolean', default: false }, defaultValue: false },
  { schema: { type: 'integer', minimum: 0, maximum: 9, default: 5 }, defaultValue: 5 },
  { schema: { type: 'integer', format: 'int64', default: 5 }, defaultValue: 5 },
  { schema: { type: 'string', enum: ['cat'], default: 'cat' }, defaultValue: 'cat' },
])('the default of the schema $schema is $defaultValue', ({ schema, defaultValue }) => {
  expect(readInputSchema(schema, place).defaultValue).toBe(defaultValue)
})

test.each([
  { schema: {}, problem: 'the type none is not served' },
  { schema: { type: 'boolean', const: true }, problem: 'the keyword const is not served' },
  { schema: { type: 'string', maxLength: 36, format: 'uuid' }, problem: 'the keyword format is not served' },
  { schema: { type: 'string', enum: ['a'], maxLength: 1 }, problem: 'the keyword maxLength is not served' },

  { schema: { type: 'integer', minimum: 0 }, problem: 'it has no bounds' },
  { schema: { type: 'string', minLength: 1 }, problem: 'it has no bounds' },
  { schema: { type: 'integer', format: 'int16', minimum: 0, maximum: 9 }, problem: 'the format int16 is not served' },
  { schema: { type: 'integer', minimum: 5, maximum: 4 }, problem: wrongBounds },
  { schema: { type: 'integer', minimum: 0.5, maximum: 4 }, problem: wrongBounds },
  { schema: { type: 'integer', format: 'int32', maximum: 2 ** 31 }, problem: wrongBounds },
  // A number of more than 53 bits is rounded when the contract is read.
  { schema: { type: 'integer', format: 'int64', maximum: 2 ** 53 }, problem: wrongBounds },
  { schema: { type: 'string', minLength: 5, maxLength: 4 }, problem: 'minLength must not exceed maxLength' },

  { schema: { type: 'string', maxLength: 5, pattern: '^a' }, problem: 'a pattern needs an x-rule' },
  { schema: { type: 'string', maxLength: 5, 'x-rule': 'not only spaces' }, problem: 'an x-rule needs a pattern' },
  { schema: { type: 'string', maxLength: 5, pattern: '[', 'x-rule': 'any' }, problem: 'Invalid regular expression' },

  { schema: { type: 'boolean', default: 'true' }, problem: 'the default must be true or false' },
  {
    schema: { type: 'integer', minimum: 0, maximum: 9, default: 10 },
    problem: 'the default must be an integer from 0',
  },
  { schema: { type: 'integer', format: 'int64', default: 0.5 }, problem: 'the default must be an integer from -9223' },
  { schema: { type: 'string', enum: ['cat'], default: 'dog' }, problem: 'the default must be one of cat' },
])('the schema $schema is refused, because $problem', ({ schema, problem }) => {
  const read = () => readInputSchema(schema, place)

  expect(read).toThrow(`Correct shared/contract/openapi.yaml: ${place}: `)
  expect(read).toThrow(problem)
})
