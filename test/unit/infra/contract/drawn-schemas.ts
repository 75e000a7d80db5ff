/** Schemas and values for properties, drawn from more of JSON Schema than the generator accepts. */
import fc from 'fast-check'
import type { JsonSchema } from '../../../../infra/contract/openapi.ts'

/** Numbers at the borders of int32, of exact numbers, and of int64. */
const borders = [2 ** 31, 2 ** 53, 2 ** 63].flatMap((border) => [-border, border])

const bounds = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -5, max: 5 }) },
  { weight: 2, arbitrary: fc.constantFrom(...borders, 2 ** 31 - 1, 2 ** 53 - 1, 1 - 2 ** 53) },
  { weight: 1, arbitrary: fc.constant(0.5) },
)

const integerSchemas: fc.Arbitrary<JsonSchema> = fc.record(
  {
    type: fc.constant('integer'),
    format: fc.constantFrom('int32', 'int64'),
    minimum: bounds,
    maximum: bounds,
  },
  { requiredKeys: ['type'] },
)

const patterns: readonly JsonSchema[] = [
  {},
  { pattern: '^\\S*$', 'x-rule': 'without spaces' },
  { pattern: '^[^a]*$', 'x-rule': 'without an a' },
  { pattern: '^.*$' },
  { 'x-rule': 'not only spaces' },
]

const lengths = fc.record(
  {
    type: fc.constant('string'),
    minLength: fc.integer({ min: 0, max: 3 }),
    maxLength: fc.integer({ min: 0, max: 6 }),
  },
  { requiredKeys: ['type'] },
)

const textSchemas: fc.Arbitrary<JsonSchema> = fc
  .tuple(lengths, fc.constantFrom(...patterns))
  .map(([length, pattern]) => ({ ...length, ...pattern }))

const enumerations: fc.Arbitrary<JsonSchema> = fc
  .uniqueArray(fc.constantFrom('a', 'a b', 'true', '5', '🐶'), { minLength: 1 })
  .map((values) => ({ type: 'string', enum: values }))

const otherSchemas: readonly JsonSchema[] = [
  {},
  { type: 'number', minimum: 0, maximum: 5 },
  { type: 'null' },
  { type: 'array', items: { type: 'boolean' } },
  { type: 'object', properties: {} },
  { minimum: 0, maximum: 5 },
]

/** Keywords that the generator refuses, or that change nothing. */
const furtherKeywords: readonly object[] = [
  { multipleOf: 2 },
  { exclusiveMinimum: 0 },
  { const: 'a' },
  { format: 'uuid' },
  { not: { type: 'boolean' } },
  { readOnly: true },
  { examples: ['a'] },
]

const defaults = fc.constantFrom(0, 5, 2 ** 53, 0.5, '5', 'a', 'a b', true, null).map((value) => ({ default: value }))

/** Schemas of parameters and fields. */
export const schemas: fc.Arbitrary<JsonSchema> = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: integerSchemas },
      { weight: 4, arbitrary: textSchemas },
      { weight: 2, arbitrary: enumerations },
      { weight: 1, arbitrary: fc.constant({ type: 'boolean' }) },
      { weight: 1, arbitrary: fc.constantFrom(...otherSchemas) },
    ),
    fc.option(fc.constantFrom(...furtherKeywords), { nil: {}, freq: 8 }),
    fc.option(defaults, { nil: {}, freq: 4 }),
  )
  .map(([schema, further, withDefault]) => ({ ...schema, ...further, ...withDefault }))

const integers = fc.oneof(
  fc.bigInt({ min: -7n, max: 7n }),
  fc
    .tuple(fc.constantFrom(...borders), fc.bigInt({ min: -2n, max: 2n }))
    .map(([border, distance]) => BigInt(border) + distance),
)

const wellFormedTexts = fc.oneof(
  fc.array(fc.constantFrom('a', 'b', ' ', '5', 'é', '🐶'), { maxLength: 7 }).map((parts) => parts.join('')),
  fc.constantFrom('true', 'false', 'a b', '5', '-3', '05', '+5', '1.0', 'constructor'),
)

const illFormedTexts = fc
  .tuple(wellFormedTexts, fc.constantFrom('\ud83d', '\udc36'), wellFormedTexts)
  .map((parts) => parts.join(''))
  .filter((text) => !text.isWellFormed())

/** Texts of parameters. */
export const parameterTexts = fc.oneof(integers.map(String), wellFormedTexts, illFormedTexts)

/** A value of a field, as JSON and as it is meant: an integer is a bigint. */
interface FieldValue {
  readonly json: string
  readonly value: unknown
}

export const fieldValues: fc.Arbitrary<FieldValue> = fc.oneof(
  integers.map((value) => ({ json: String(value), value })),
  integers.map((value) => ({ json: `${value}.0`, value })),
  fc.oneof(wellFormedTexts, illFormedTexts).map((value) => ({ json: JSON.stringify(value), value })),
  fc.constantFrom<FieldValue>(
    { json: '0.5', value: 0.5 },
    { json: '1e400', value: 10n ** 400n },
    { json: 'true', value: true },
    { json: 'false', value: false },
    { json: 'null', value: null },
    { json: '[]', value: [] },
    { json: '{}', value: {} },
  ),
)
