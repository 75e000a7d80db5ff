import type { ErrorObject } from 'ajv'
import type { operations } from '../contract/generated/types.ts'
import type { OperationResponse } from './response.ts'

type OperationId = keyof operations

export type ParameterKind = 'int64' | 'integer' | 'text'

/** The generated module of an operation. */
export interface OperationContract {
  readonly operationId: OperationId
  readonly method: string
  readonly takesBody: boolean
  /** The parameters that the operation has, and how the text of each is read. */
  readonly parameters: Readonly<Record<'path' | 'query' | 'headers', Readonly<Record<string, ParameterKind>>>>
  readonly defaults: { readonly query: Readonly<Record<string, unknown>> }
  /** The names that the error message for an unknown name lists. */
  readonly fields: Readonly<Record<'query' | 'body', readonly string[]>>
  /** For each place of a request, the words that follow "must be" in an error message. */
  readonly rules: Readonly<Record<string, string>>
  readonly deprecation: DeprecationNotice | null
  /** ajv's code for the whole request; it fills in defaults. */
  readonly validate: { (request: unknown): boolean; errors?: ErrorObject[] | null }
}

/** Times are milliseconds since the Unix epoch. */
export interface DeprecationNotice {
  readonly since: number
  readonly sunset: number
  /** The path of the operation to use instead, and the sentence that says so. */
  readonly replacement: string
  readonly advice: string
}

type Parameters<Id extends OperationId> = operations[Id]['parameters']

type Present<Values> = [NonNullable<Values>] extends [never] ? Readonly<Record<never, never>> : NonNullable<Values>

type Filled<Values, Defaults> = Values & {
  readonly [Name in keyof Values & keyof Defaults]-?: NonNullable<Values[Name]>
}

type Body<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Content } }
}
  ? Content
  : undefined

/** The valid input of an operation: what its handler receives. */
export interface OperationInput<Contract extends OperationContract> {
  readonly path: Present<Parameters<Contract['operationId']>['path']>
  readonly query: Filled<Present<Parameters<Contract['operationId']>['query']>, Contract['defaults']['query']>
  readonly headers: Present<Parameters<Contract['operationId']>['header']>
  readonly body: Body<Contract['operationId']>
}

type Responses<Id extends OperationId> = operations[Id]['responses']

type Success<Id extends OperationId> = {
  readonly [Status in keyof Responses<Id>]: Responses<Id>[Status] extends {
    content: { 'application/json': infer Content }
  }
    ? OperationResponse<Status & number, Readonly<Content>>
    : never
}

/** What the handler of an operation returns: a status of success and its body, as the contract has them. */
export type OperationSuccess<Id extends OperationId> = Success<Id>[keyof Success<Id>]
