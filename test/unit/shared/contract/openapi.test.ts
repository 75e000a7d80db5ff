import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { contractFile, readContract } from '../../../../infra/contract/contract.ts'
import { samplePets } from '../../../../infra/local/demo-data.ts'
import { crossOriginHeaders } from '../../../../shared/http/response/response-headers.ts'

// The contract as generators and strict clients of callers see it. The responses of the service are compared with it
// by test/requests/check-response.ts.

const { schemas } = readContract().document.components
const strictClient = new Ajv2020({ strict: false, formats: { int32: true, int64: true } })

const isValid = (schema: string, value: unknown): boolean => strictClient.validate(schemas[schema] ?? false, value)

const bella = { id: 1, name: 'Bella', categoryId: 1, status: 'available' }
const notFound = { code: 'pet_not_found', message: 'There is no pet with this id.', status: 404 }

it.each([
  { body: 'a pet with a field', schema: 'Pet', value: { ...bella, unknownField: 'brown' } },
  { body: 'a list of pets with a field', schema: 'Pets', value: [{ ...bella, unknownField: 'brown' }] },
  { body: 'an error with a field', schema: 'ErrorBody', value: { ...notFound, retryable: false } },
  { body: 'an error with a code', schema: 'ErrorBody', value: { ...notFound, code: 'pet_adopted' } },
])('a strict client accepts $body of a later version', ({ schema, value }) => {
  expect(isValid(schema, value)).toBe(true)
})

it('a strict client sends no field that the service does not know', () => {
  expect(isValid('PetInput', { name: 'Bella', categoryId: 1 })).toBe(true)
  expect(isValid('PetInput', { name: 'Bella', categoryId: 1, unknownField: 'brown' })).toBe(false)
})

/** An object in the text of the contract, in which references are not replaced by their targets. */
type Part = Readonly<Record<string, unknown>>

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null

/** Lists a part of the contract and all parts in it. */
const listParts = (part: Part): readonly Part[] => [part, ...Object.values(part).filter(isPart).flatMap(listParts)]

const parts = listParts(parse(readFileSync(contractFile, 'utf8')))

// The contract says in the description of the name that U+0085 and U+001C are no white space.
it.each([' Bella', 'Bella\n', '\n\nBella', '\u0085', '\u001c'])('a new pet may have the name %j', (name) => {
  const { pattern = '' } = schemas['PetInput']?.properties?.['name'] ?? {}

  // Python matches a pattern at the beginning of a text, Java the whole text, and JavaScript anywhere in it. So the
  // match must begin at the first character (`y`), and be the whole name.
  expect(new RegExp(pattern, 'uy').exec(name)?.[0]).toBe(name)
})

it('no schema has the name Error, or that of a constructor that a generator for Go makes', () => {
  const names = Object.keys(schemas)
  const constructors = names.flatMap((name) => [`New${name}`, `New${name}WithDefaults`])

  expect(names.filter((name) => name === 'Error' || constructors.includes(name))).toEqual([])
})

it('each id in an example is that of a sample pet', () => {
  const sampleIds = samplePets.map(({ id }) => Number(id))
  const ids = parts.flatMap((part) => [part['id'], part['name'] === 'petId' ? part['example'] : undefined])
  const exampleIds = ids.filter((id) => typeof id === 'number')

  expect(exampleIds.length, 'the contract has examples with ids').toBeGreaterThan(3)
  expect(exampleIds.filter((id) => !sampleIds.includes(id))).toEqual([])
})

// OpenAPI 3.1 allows members beside the reference of a schema, and many generators for OpenAPI 3.0 ignore them.
it('nothing stands beside a reference of the contract', () => {
  const references = parts.filter((part) => typeof part['$ref'] === 'string')

  expect(references.length, 'the contract has references').toBeGreaterThan(50)
  expect(references.filter((reference) => Object.keys(reference).length > 1)).toEqual([])
})

const { operations, unroutedResponses } = readContract()

/** Headers that a browser always shows to a web page of another origin ("CORS-safelisted response-header name"). */
const alwaysReadable = ['Content-Length', 'Content-Type']

/** Headers that only the browser itself reads. */
const isForBrowser = (name: string): boolean => name.startsWith('Access-Control-')

it('a web page of another origin may read exactly the response headers of the contract', () => {
  const responses = [
    ...operations.flatMap((operation) => Object.values(operation.responses)),
    ...Object.values(unroutedResponses),
  ]
  const names = new Set(responses.flatMap(({ headers = {} }) => Object.keys(headers)))
  const readable = [...names].filter((name) => !isForBrowser(name) && !alwaysReadable.includes(name))

  const exposed = crossOriginHeaders['Access-Control-Expose-Headers'].split(',')

  expect(exposed.toSorted()).toEqual(readable.toSorted())
})
