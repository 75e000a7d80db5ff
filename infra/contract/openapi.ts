/** The parts of an OpenAPI document that are used here. Every reference is replaced by what it names. */
export interface ContractDocument {
  readonly info: { readonly title: string; readonly version: string; readonly summary?: string }
  readonly paths: Readonly<Record<string, PathItem>>
  /** By status, beside a description. */
  readonly 'x-unrouted-responses': Readonly<Record<string, ContractResponse | string>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly parameters: Readonly<Record<string, ContractParameter>>
    readonly headers: Readonly<Record<string, ContractHeader>>
    readonly responses: Readonly<Record<string, ContractResponse>>
    /** The errors, each under its code, and some with more exact messages. */
    readonly examples: Readonly<Record<string, { readonly value: ContractError }>>
  }
}

export interface ContractError {
  readonly code: string
  readonly message: string
  readonly status: number
}

export type PathItem = {
  readonly [method in Method]?: Operation
} & { readonly parameters?: readonly ContractParameter[] }

/** API Gateway responds to OPTIONS itself, and has no TRACE. */
export const methods = ['get', 'put', 'post', 'delete', 'patch', 'head'] as const

export type Method = (typeof methods)[number]

export interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly ContractParameter[]
  readonly requestBody?: ContractBody
  readonly responses: Responses
  readonly security?: unknown
  readonly 'x-explorer-enabled'?: boolean
  readonly 'x-deprecation'?: {
    readonly since?: string
    readonly sunset?: string
    readonly replacement?: string
    readonly advice?: string
  }
}

export interface ContractParameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

export interface ContractBody extends WithContent {
  readonly description?: string
}

/** By status. */
export type Responses = Readonly<Record<string, ContractResponse>>

export interface ContractResponse extends WithContent {
  readonly description: string
  readonly headers?: Readonly<Record<string, ContractHeader>>
}

export interface ContractHeader {
  readonly description?: string
  readonly required?: boolean
  readonly schema: JsonSchema
  readonly example?: unknown
}

interface WithContent {
  readonly content: { readonly 'application/json': ContractContent }
}

export interface ContractContent {
  readonly schema: JsonSchema
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
}

export interface JsonSchema {
  readonly type?: string
  readonly format?: string
  readonly description?: string
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
