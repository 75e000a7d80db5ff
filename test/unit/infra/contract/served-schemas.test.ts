/**
 * What the generator accepts, the service serves: schemas go through the generator, and requests through the generated
 * module and `readInput`. Which values a schema allows is decided by an ajv that the service does not use.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { build } from 'esbuild'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UserError } from '../../../../infra/command-line/user-error.ts'
import { type ContractOperation, readContract } from '../../../../infra/contract/contract.ts'
import { type InputSchema, readInputSchema } from '../../../../infra/contract/input-schema.ts'
import type { ContractParameter, JsonSchema } from '../../../../infra/contract/openapi.ts'
import { readOperationInput } from '../../../../infra/contract/operation-input.ts'
import { generateOperationModule } from '../../../../infra/contract/service-modules.ts'
import { generateValidator } from '../../../../infra/contract/validator.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { parseExactJson } from '../../../../shared/exact-json.ts'
import type { OperationContract } from '../../../../shared/http/operation-contract.ts'
import { readInput } from '../../../../shared/http/request/read-input.ts'
import { readGatewayEvent } from '../../../events/events.ts'
import { chooseBySize } from '../../../fixtures/machine/size.ts'
import { createTemporaryFolder } from '../../../fixtures/machine/temporary-folder.ts'
import { fieldValues, parameterTexts, schemas } from './drawn-schemas.ts'

const numRuns = chooseBySize(6, 20)

const plainAjv = new Ajv2020({ strict: false, formats: { int32: true, int64: true } })

const formatRanges: Readonly<Record<string, readonly [smallest: bigint, largest: bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
}

const isIllFormed = (value: unknown): boolean => typeof value === 'string' && !value.isWellFormed()

/** Whether a schema allows a value, in which an integer is a bigint. Text is well-formed Unicode. */
const isValid = (schema: JsonSchema, value: unknown): boolean => {
  if (isIllFormed(value)) return false
  if (typeof value !== 'bigint') return plainAjv.validate(schema, value) === true

  const { type, format = '', minimum = value, maximum = value } = schema
  const [smallest = value, largest = value] = formatRanges[format] ?? []
  return type === 'integer' && value >= minimum && value <= maximum && value >= smallest && value <= largest
}

/** A schema that the generator accepts, as a parameter or field of this name. */
interface AcceptedSchema {
  readonly name: string
  readonly schema: JsonSchema
  readonly read: InputSchema
}

/** Selects the schemas that the generator accepts. The refusal of another one is a sentence that names the place. */
const selectAccepted = (drawn: readonly JsonSchema[]): readonly AcceptedSchema[] =>
  drawn.flatMap((schema, index) => {
    try {
      return [{ name: `x${index}`, schema, read: readInputSchema(schema, 'PUT /pets, parameter age') }]
    } catch (error) {
      expect(error).toBeInstanceOf(UserError)
      expect(String(error)).toMatch(/openapi\.yaml: PUT \/pets, parameter age: .+\.$/)
      return []
    }
  })

const packages = fileURLToPath(new URL('../../../../node_modules', import.meta.url))

/** Generates the modules of an operation, bundles them as those of a function are bundled, and imports the bundle. */
const importOperation = async (operation: ContractOperation): Promise<OperationContract> => {
  const folder = createTemporaryFolder()
  // The extension tells esbuild that this is an ES module.
  const entryPoint = join(folder, 'operation.mts')
  writeFileSync(entryPoint, generateOperationModule(operation))
  writeFileSync(join(folder, `${operation.name}.validator.cjs`), generateValidator(operation.input))
  const outfile = join(folder, 'operation.mjs')
  await build({ entryPoints: [entryPoint], bundle: true, format: 'esm', nodePaths: [packages], outfile })

  const module: Record<string, OperationContract> = await import(/* @vite-ignore */ outfile)
  const contract = module[operation.operationId]
  if (contract === undefined) throw new Error(`The module lacks ${operation.operationId}.`)
  return contract
}

// The contract has operations. The first one lends its properties beside the input.
const [firstOperation] = readContract().operations as [ContractOperation, ...ContractOperation[]]

/** Generates an operation that takes a value of each schema in its query, its headers and its body. */
const generateOperation = (accepted: readonly AcceptedSchema[]): Promise<OperationContract> => {
  const locations = ['query', 'header'] as const
  const parameters = locations.flatMap((location) =>
    accepted.map(({ name, schema }): ContractParameter => ({ name, in: location, schema })),
  )
  // A field has no default: the function fills it in.
  const properties = Object.fromEntries(accepted.map(({ name, schema: { default: _, ...schema } }) => [name, schema]))
  const body: JsonSchema = { type: 'object', additionalProperties: false, properties }
  const requestBody = { description: 'A.', required: true, content: { 'application/json': { schema: body } } }

  return importOperation({ ...firstOperation, input: readOperationInput(parameters, requestBody, 'PUT /pets') })
}

type Part = 'query' | 'headers' | 'body'

/** Reads a request. Returns the value that the function gets for a name, or the message of the error. */
const readValue = (contract: OperationContract, part: Part, name: string, text?: string): unknown => {
  const parameters = text === undefined ? {} : { [name]: [text] }
  const json = part === 'body' && text !== undefined ? `{"${name}":${text}}` : '{}'
  const event = readGatewayEvent('list-pets', {
    multiValueQueryStringParameters: part === 'query' ? parameters : null,
    multiValueHeaders: part === 'headers' ? parameters : {},
    // `readExactIntegers` puts the parsed body into the event, though the type of an event allows only text there.
    body: parseExactJson(json) as string,
  })
  try {
    const input = readInput(contract, event)
    return new Map<string, unknown>(Object.entries(input[part] ?? {})).get(name)
  } catch (error) {
    if (error instanceof ServiceError) return error.message
    throw error
  }
}

/** The result that `readValue` must have for a value. */
const findExpectedResult = ({ name, schema, read }: AcceptedSchema, value: unknown): unknown => {
  if (isValid(schema, value)) return value

  const isText = schema.type === 'string' && schema.enum === undefined
  if (isText && isIllFormed(value)) return `${name} has half of a surrogate pair. Send well-formed Unicode.`
  return `${name} must be ${read.rule}.`
}

// The generator accepts about one of fifteen.
const drawnSchemas = fc.array(schemas, { minLength: 60, maxLength: 80 })
const drawnTexts = fc.array(parameterTexts, { minLength: 20, maxLength: 20 })
const drawnValues = fc.array(fieldValues, { minLength: 20, maxLength: 20 })

/** Reads the text of a parameter as a value of the type of its schema. */
const interpretText = (text: string, { type }: JsonSchema): unknown => {
  if (type === 'integer' && /^-?(0|[1-9]\d*)$/.test(text)) return BigInt(text)
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

/** The value that a function gets for a parameter that a request leaves out. */
const readDefault = ({ default: value }: JsonSchema): unknown => (typeof value === 'number' ? BigInt(value) : value)

test('a parameter and a field are served exactly if their schema allows the value', async () => {
  let acceptedCount = 0
  const property = fc.asyncProperty(drawnSchemas, drawnTexts, drawnValues, async (drawn, texts, values) => {
    const accepted = selectAccepted(drawn)
    acceptedCount += accepted.length
    const contract = await generateOperation(accepted)

    for (const one of accepted) {
      const { name, schema } = one
      for (const text of texts) {
        const expected = findExpectedResult(one, interpretText(text, schema))
        expect(readValue(contract, 'query', name, text), 'a parameter of the query').toEqual(expected)
        expect(readValue(contract, 'headers', name, text), 'a header').toEqual(expected)
      }
      for (const { json, value } of values) {
        expect(readValue(contract, 'body', name, json), 'a field').toEqual(findExpectedResult(one, value))
      }
      expect(readValue(contract, 'query', name), 'a parameter that is left out').toBe(readDefault(schema))
      expect(readValue(contract, 'headers', name), 'a header that is left out').toBe(readDefault(schema))
    }
  })

  await fc.assert(property, { numRuns })
  expect(acceptedCount, 'schemas that the generator accepts').toBeGreaterThan(numRuns)
})

/** Forms of a rule, with the values that a person understands it to allow. */
const ruleForms: readonly {
  readonly form: RegExp
  readonly allows: (value: unknown, ...parts: string[]) => boolean
}[] = [
  {
    form: /^an integer from (-?\d+) to (-?\d+)$/,
    allows: (value, from = '', to = '') => typeof value === 'bigint' && value >= BigInt(from) && value <= BigInt(to),
  },
  {
    form: /^true or false$/,
    allows: (value) => typeof value === 'boolean',
  },
  {
    form: /^one of (.+)$/,
    allows: (value, names = '') => typeof value === 'string' && names.split(', ').includes(value),
  },
  {
    form: /^a string of (?:(\d+) to |at most )(\d+) characters(?:, (.+))?$/,
    allows: (value, from = '0', to = '', words = '') => {
      if (typeof value !== 'string' || isIllFormed(value)) return false
      if (words === 'without spaces' && value.includes(' ')) return false
      if (words === 'without an a' && value.includes('a')) return false
      const length = [...value].length
      return length >= Number(from) && length <= Number(to)
    },
  },
]

test('the rule in the message of an error is true of valid values alone', () => {
  const property = fc.property(drawnSchemas, drawnValues, (drawn, values) => {
    for (const { schema, read } of selectAccepted(drawn)) {
      const form = ruleForms.find((candidate) => candidate.form.test(read.rule))
      const [, ...parts] = form?.form.exec(read.rule) ?? []

      for (const { value } of values) {
        expect(form?.allows(value, ...parts), `${read.rule}: ${String(value)}`).toBe(isValid(schema, value))
      }
    }
  })

  fc.assert(property, { numRuns: 4 * numRuns })
})
