import { largestInt64, smallestInt64 } from '../../shared/int64.ts'
import { UserError } from '../command-line/user-error.ts'

/** Creates the error for a contract that cannot be served. `problem` is the rest of the sentence. */
export const createContractError = (problem: string): UserError =>
  new UserError(`Correct shared/contract/openapi.yaml: ${problem}`)

/** The parts of an OpenAPI document that this project uses. References have been replaced by their targets. */
export interface ContractDocument {
  readonly info: { readonly title: string; readonly version: string; readonly summary?: string }
  readonly paths: Readonly<Record<string, PathItem>>
  /** Responses to requests that name no operation, by status, and beside them a description of all of them. */
  readonly 'x-unrouted-responses': Responses & { readonly description: string }
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly parameters: Readonly<Record<string, ContractParameter>>
    readonly headers: Readonly<Record<string, ContractHeader>>
    readonly responses: Responses
    /**
     * The default message of each error, by its code. Further examples, with names of their own, have the more exact
     * messages of some errors.
     */
    readonly examples: Readonly<Record<string, { readonly value: Record<'code' | 'message' | 'status', unknown> }>>
  }
}

/** Methods that an operation may have. `redocly.yaml` refuses the others. */
export const servedMethods = ['get', 'post', 'put', 'patch', 'delete'] as const

type PathItem = {
  readonly [method in (typeof servedMethods)[number]]?: Operation
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly ContractParameter[]
  readonly requestBody?: ContractBody
  readonly responses: Responses
  /**
   * Whether the reference has a panel that sends the request.
   *
   * @default true
   */
  readonly 'x-explorer-enabled'?: boolean
  /**
   * The deprecation as the file has it, unchecked: members may be missing, and `replacement` is not a path yet but the
   * `operationId` of the operation to use instead.
   */
  readonly 'x-deprecation'?: Partial<ContractDeprecation>
}

export interface ContractDeprecation {
  /** A UTC date, `YYYY-MM-DD`. */
  readonly since: string
  /** The UTC date from which on the operation responds 404. */
  readonly sunset: string
  /** The path of the operation to use instead. */
  readonly replacement: string
  /** One sentence on what callers should do instead. */
  readonly advice: string
}

/** Responses by status. */
export type Responses = Readonly<Record<string, ContractResponse>>

export interface ContractResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, ContractHeader>>
  /** Undefined for a response without a body. */
  readonly content?: JsonContent
}

export interface ContractBody {
  readonly description: string
  readonly required?: boolean
  readonly content: JsonContent
}

interface JsonContent {
  readonly 'application/json': ContractContent
}

export interface ContractContent {
  readonly schema: JsonSchema
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
}

interface ContractHeader {
  readonly description?: string
  readonly required?: boolean
  readonly schema: JsonSchema
  readonly example?: unknown
}

export interface ContractParameter extends ContractHeader {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
}

export interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  /** Words for the pattern, such as `not only spaces`. Messages have them after the length. */
  readonly 'x-rule'?: string
  readonly additionalProperties?: unknown
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
}

/** The integers from `minimum` to `maximum`. A bound that a schema itself sets is a number, because YAML parses it. */
export interface IntegerRange {
  readonly minimum: number | bigint
  readonly maximum: number | bigint
}

/** The ranges of formats. A schema without a format has only the bounds that it sets. */
export const formatRanges: ReadonlyMap<string | undefined, IntegerRange> = new Map([
  ['int32', { minimum: -(2n ** 31n), maximum: 2n ** 31n - 1n }],
  ['int64', { minimum: smallestInt64, maximum: largestInt64 }],
])

/** Finds the integers that a schema allows. Returns undefined unless the schema or its format sets both bounds. */
export const findRange = (schema: JsonSchema): IntegerRange | undefined => {
  const formatRange = formatRanges.get(schema.format)
  const minimum = schema.minimum ?? formatRange?.minimum
  const maximum = schema.maximum ?? formatRange?.maximum
  return minimum === undefined || maximum === undefined ? undefined : { minimum, maximum }
}

/**
 * Describes the values that a schema allows, to follow "must be". Returns undefined for a schema without bounds.
 *
 * @example describeConstraint({ type: 'integer', minimum: 1, maximum: 100 }) // 'an integer from 1 to 100'
 */
export const describeConstraint = (schema: JsonSchema): string | undefined => {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`

  switch (schema.type) {
    case 'boolean':
      return 'true or false'
    case 'string':
      return describeText(schema)
    case 'integer':
      return describeIntegers(schema)
    default:
      return undefined
  }
}

const describeText = ({ minLength, maxLength, 'x-rule': rule }: JsonSchema): string | undefined => {
  if (maxLength === undefined) return undefined
  const length = minLength === undefined ? `at most ${maxLength}` : `${minLength} to ${maxLength}`
  const bounds = `a string of ${length} characters`
  return rule === undefined ? bounds : `${bounds}, ${rule}`
}

const describeIntegers = (schema: JsonSchema): string | undefined => {
  const range = findRange(schema)
  return range && `an integer from ${range.minimum} to ${range.maximum}`
}
