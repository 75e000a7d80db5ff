import fc from 'fast-check'
import { isObject, isValid, isValidParameter, type Schema, type Value } from './schema.ts'

/** Of all of Unicode, and halves of surrogate pairs, which are no characters at all. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.nat(0x7f), fc.nat(0xffff), fc.nat(0x10ffff), fc.integer({ min: 0xd800, max: 0xdfff }))
  .map((code) => String.fromCodePoint(code))

/** Values that a schema allows, often just inside its bounds. */
export const validValue = (schema: Schema): fc.Arbitrary<Value> => {
  const { type, choices, smallest, largest, required, properties } = schema
  if (choices !== undefined) return fc.constantFrom(...choices)
  if (type === 'integer')
    return fc.oneof(fc.bigInt({ min: smallest, max: largest }), fc.constantFrom(smallest, largest))
  if (type === 'string') return texts(schema).filter((text) => isValid(schema, text))
  return fc.record(Object.fromEntries([...properties].map(([name, property]) => [name, validValue(property)])), {
    requiredKeys: [...required],
    noNullPrototype: true,
  })
}

/** Values that a schema refuses, often just outside its bounds. */
export const brokenValue = (schema: Schema): fc.Arbitrary<Value> => {
  const near = schema.type === 'object' ? brokenObject(schema) : nearScalar(schema)
  return fc
    .oneof({ weight: 3, arbitrary: near }, { weight: 1, arbitrary: anyValue })
    .filter((value) => !isValid(schema, value))
}

/** Texts of a parameter that its schema allows. */
export const validParameter = (schema: Schema): fc.Arbitrary<string> =>
  validValue(schema)
    .map(String)
    .filter((text) => isValidParameter(schema, text))

/** Texts of a parameter that its schema refuses. */
export const brokenParameter = (schema: Schema): fc.Arbitrary<string> =>
  fc
    .oneof(
      nearScalar(schema).map(String),
      texts(schema),
      validValue(schema).map((value) => `${value}.0`),
    )
    .filter((text) => !isValidParameter(schema, text))

/** Texts about as long as the schema allows, of all of Unicode, and of what is no character. */
const texts = ({ shortest, longest }: Schema): fc.Arbitrary<string> => {
  const mostUnits = Math.min(longest, 1_000)
  const lengths = (unit: 'grapheme' | 'grapheme-ascii' | fc.Arbitrary<string>) =>
    fc.oneof(
      fc.string({ unit, minLength: shortest, maxLength: 20 }),
      fc.string({ unit, minLength: Math.max(0, mostUnits - 1), maxLength: mostUnits + 1 }),
    )
  return fc.oneof(
    { weight: 4, arbitrary: lengths('grapheme-ascii') },
    { weight: 2, arbitrary: lengths('grapheme') },
    { weight: 2, arbitrary: lengths(anyCharacter) },
    { weight: 1, arbitrary: fc.constantFrom(...awkwardTexts) },
  )
}

const awkwardTexts = [
  ...['', ' ', '\0', '\u00a0', '\ufeff', '\ufffd', '\u2028', '\u202e', '\ud800', 'a\udc00', 'e\u0301'],
  ...['__proto__', 'constructor', 'null', 'undefined', 'NaN', '-0', '1e400', '{{7*7}}', "' OR 1=1 --", '<script>'],
  ...['a\r\nX-Evil: 1', '\u001b[31m', '%00', '%2e%2e%2f', ':name', '#status', 'before:1'],
]

const nearScalar = (schema: Schema): fc.Arbitrary<Value> =>
  schema.type === 'integer'
    ? fc.oneof(
        fc
          .bigInt({ min: 1n, max: 10n ** 30n })
          .chain((distance) => fc.constantFrom(schema.smallest - distance, schema.largest + distance)),
        fc.constantFrom(schema.smallest - 1n, schema.largest + 1n, String(schema.smallest), 0.5, 1e-7),
      )
    : fc.oneof(texts(schema), fc.constantFrom(...(schema.choices ?? []).map((choice) => choice.toUpperCase()), ' '))

/** A valid object of which one thing is changed: a field is wrong, missing, or one too many. */
const brokenObject = (schema: Schema): fc.Arbitrary<Value> => {
  const whole = validValue(schema).filter(isObject)
  const properties = [...schema.properties]
  const changes = [
    ...properties.map(([name, property]) => brokenValue(property).map((value) => ({ [name]: value }))),
    ...[...schema.required].map((name) => fc.constant({ [name]: undefined })),
    fc
      .tuple(fc.oneof(fc.string(), fc.constantFrom(...awkwardTexts)), anyValue)
      .map(([name, value]) => ({ [name]: value })),
  ]
  return fc.tuple(whole, fc.oneof(...changes)).map(([value, change]) => withoutGaps({ ...value, ...change }))
}

const withoutGaps = (value: { readonly [name: string]: Value | undefined }): Value =>
  Object.fromEntries(Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, member]])))

const anyValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Value>(null, true, false),
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
    fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
    fc.string({ unit: anyCharacter }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value
