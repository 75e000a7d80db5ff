import { expect, test } from 'vitest'
import type { ContractBody, ContractParameter } from '../../../../infra/contract/openapi.ts'
import { readOperationInput } from '../../../../infra/contract/operation-input.ts'

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
  { change: { name: 'filter[age]' }, problem: 'parameter filter[age]: name it with letters' },
  { change: { name: 'constructor' }, problem: 'parameter constructor: name it with letters' },
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
    problem: 'body, field age: it has a default, and generators make it a required field.',
  },
  { change: { properties: { toString: { type: 'boolean' } } }, problem: 'body, field toString: name it with letters' },
]

test.each(refusedBodies)('a body with $change is refused', ({ change, problem }) => {
  expect(() => readOperationInput([], createBody(change), 'POST /pets')).toThrow(`POST /pets, ${problem}`)
})

test('a body that is not required is refused', () => {
  const body = createBody({}, false)

  expect(() => readOperationInput([], body, 'POST /pets')).toThrow('POST /pets, body: it must have "required: true"')
})
