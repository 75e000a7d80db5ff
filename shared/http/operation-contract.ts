import type { ErrorObject } from 'ajv'
import type { operations } from '../contract/generated/types.ts'
import type { OperationResponse } from './response/response.ts'

type OperationId = keyof operations

/** Type in which the function gets a value: bigint, boolean or string. */
export type ValueKind = 'integer' | 'boolean' | 'text'

/** Generated module of an operation. */
export interface OperationContract {
  readonly operationId: OperationId
  readonly method: string
  readonly takesBody: boolean
  /** Kinds of parameters and of fields of the body, by the part of the request in which they stand. */
  readonly kinds: Readonly<Record<'path' | 'query' | 'headers' | 'body', Readonly<Record<string, ValueKind>>>>
  /** Values of parameters that a request leaves out. */
  readonly defaults: Readonly<Record<'query' | 'headers', Readonly<Record<string, unknown>>>>
  /** Words that follow "must be" in an error message, by the path of the invalid value in the request. */
  readonly rules: Readonly<Record<string, string>>
  /** `null` if the operation is not deprecated. */
  readonly deprecation: DeprecationNotice | null
  /** ajv's code for the whole request, whose values have the types of their kinds. */
  readonly validate: { (request: unknown): boolean; errors?: ErrorObject[] | null }
}

/** Announcement that an operation ends. Times are milliseconds since the Unix epoch. */
export interface DeprecationNotice {
  /** Time from which the operation is deprecated. */
  readonly since: number
  /** Time from which the operation responds 404. */
  readonly sunset: number
  /** Path of the operation to use instead. */
  readonly replacement: string
  /** Sentence that tells callers what to use instead. */
  readonly advice: string
}

type Parameters<Id extends OperationId> = operations[Id]['parameters']

/**
 * Parameters of one part of the request. A part without parameters has the type `never`, and becomes an object without
 * properties. The brackets make TypeScript compare `never` like any other type.
 */
type Present<Values> = [NonNullable<Values>] extends [never] ? Readonly<Record<never, never>> : NonNullable<Values>

/** Parameters with the defaults filled in. */
type Filled<Values, Defaults> = Values & {
  readonly [Name in keyof Values & keyof Defaults]-?: NonNullable<Values[Name]>
}

type Body<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Content } }
}
  ? Content
  : undefined

/** Valid input of an operation. */
export interface OperationInput<Contract extends OperationContract> {
  readonly path: Present<Parameters<Contract['operationId']>['path']>
  readonly query: Filled<Present<Parameters<Contract['operationId']>['query']>, Contract['defaults']['query']>
  readonly headers: Filled<Present<Parameters<Contract['operationId']>['header']>, Contract['defaults']['headers']>
  readonly body: Body<Contract['operationId']>
}

type Responses<Id extends OperationId> = operations[Id]['responses']

/** Responses of an operation, by status. The generated types contain only the successful ones, each with content. */
type SuccessByStatus<Id extends OperationId> = {
  readonly [Status in keyof Responses<Id>]: Responses<Id>[Status] extends {
    content: { 'application/json': infer Content }
  }
    ? OperationResponse<Status & number, Readonly<Content>>
    : never
}

/** Successful response of an operation: a status and a body that belong together in the contract. */
export type OperationSuccess<Id extends OperationId> = SuccessByStatus<Id>[keyof SuccessByStatus<Id>]
