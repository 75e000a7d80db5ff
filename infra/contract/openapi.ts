import { largestInt64, smallestInt64 } from '../../shared/int64.ts'

/** The parts of an OpenAPI document that this project uses. References have been replaced by their targets. */
export interface ContractDocument {
  readonly info: { readonly title: string; readonly version: string; readonly summary?: string }
  readonly paths: Readonly<Record<string, PathItem>>
  readonly 'x-unrouted-responses': Responses & { readonly description: string }
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly parameters: Readonly<Record<string, ContractParameter>>
    readonly headers: Readonly<Record<string, ContractHeader>>
    readonly responses: Responses
    /** Errors by code. Further examples have more exact messages for an error. */
    readonly examples: Readonly<Record<string, { readonly value: Record<'code' | 'message' | 'status', unknown> }>>
  }
}

type PathItem = {
  readonly [method in 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head']?: Operation
} & {
  readonly parameters?: readonly ContractParameter[]
  readonly summary?: string
  readonly description?: string
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly ContractParameter[]
  readonly requestBody?: WithContent & { readonly description: string }
  readonly responses: Responses
  readonly 'x-explorer-enabled'?: boolean
  /** Its `replacement` is the `operationId` of the operation to use instead. */
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

export interface ContractResponse extends WithContent {
  readonly description: string
  readonly headers?: Readonly<Record<string, ContractHeader>>
}

interface WithContent {
  readonly content: { readonly 'application/json': ContractContent }
}

export interface ContractContent {
  readonly schema: JsonSchema
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
}

export interface ContractHeader {
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
  readonly example?: unknown
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  /** Constraint in words, to follow "must be". */
  readonly 'x-rule'?: string
}

/**
 * Describes the values that a schema allows, to follow "must be": in the contract's words, or else by the schema's
 * bounds. Example: `an integer from 1 to 100`. Returns undefined for a schema that has neither.
 */
export const describeConstraint = (schema: JsonSchema): string | undefined => {
  if (schema['x-rule'] !== undefined) return schema['x-rule']
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`

  switch (schema.type) {
    case 'boolean':
      return 'true or false'
    case 'string':
      return describeLength(schema)
    case 'integer':
      return describeRange(schema)
    default:
      return undefined
  }
}

const describeLength = ({ minLength, maxLength }: JsonSchema): string | undefined => {
  if (maxLength === undefined) return undefined
  const length = minLength === undefined ? `at most ${maxLength}` : `${minLength} to ${maxLength}`
  return `a string of ${length} characters`
}

const describeRange = ({ format, minimum, maximum }: JsonSchema): string | undefined => {
  const isInt64 = format === 'int64'
  const from = minimum ?? (isInt64 ? smallestInt64 : undefined)
  const to = maximum ?? (isInt64 ? largestInt64 : undefined)
  if (from === undefined || to === undefined) return undefined
  return `an integer from ${from} to ${to}`
}
