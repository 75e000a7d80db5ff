import { largestInt64, smallestInt64 } from '../../shared/int64.ts'

/** The parts of an OpenAPI document that are used here. Every reference is replaced by what it names. */
export interface ContractDocument {
  readonly info: { readonly title: string; readonly version: string; readonly summary?: string }
  readonly paths: Readonly<Record<string, PathItem>>
  readonly 'x-unrouted-responses': Responses & { readonly description: string }
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly parameters: Readonly<Record<string, ContractParameter>>
    readonly headers: Readonly<Record<string, ContractHeader>>
    readonly responses: Responses
    /** The errors, each under its code, and some with more exact messages. */
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
  /** Names the operation to use instead by its `operationId`. */
  readonly 'x-deprecation'?: Partial<ContractDeprecation>
}

export interface ContractDeprecation {
  /** A UTC date, `YYYY-MM-DD`. */
  readonly since: string
  /** The UTC date from which on the operation is removed. */
  readonly sunset: string
  /** The path of the operation to use instead. */
  readonly replacement: string
  /** A sentence that says what to do instead. */
  readonly advice: string
}

/** By status. */
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
  /** What a value must be, in words, to follow "must be". */
  readonly 'x-rule'?: string
}

/** What a value must be, to follow "must be": the contract's text, or else its bounds. `undefined` where it has neither. */
export const describeConstraint = (schema: JsonSchema): string | undefined => {
  const { type, format, minimum, maximum, minLength, maxLength } = schema
  if (schema['x-rule'] !== undefined) return schema['x-rule']
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`
  if (type === 'boolean') return 'true or false'
  if (type === 'string' && maxLength !== undefined) {
    return `a string of ${minLength === undefined ? 'at most' : `${minLength} to`} ${maxLength} characters`
  }
  const isInt64 = format === 'int64'
  const [from, to] = [minimum ?? (isInt64 && smallestInt64), maximum ?? (isInt64 && largestInt64)]
  return type === 'integer' && from !== false && to !== false ? `an integer from ${from} to ${to}` : undefined
}
