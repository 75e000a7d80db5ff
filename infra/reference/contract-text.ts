import type { Contract } from '../contract/contract.ts'
import { describeConstraint, type JsonSchema } from '../contract/openapi.ts'
import { type Html, renderDefinitions } from './html.ts'

type DescribedParts = Readonly<Record<string, { readonly description?: string }>>

/** @throws Error if the contract does not describe the part */
export const findDescription = (parts: DescribedParts, name: string): string => {
  const { description } = parts[name] ?? {}
  if (description === undefined) throw new Error(`The contract lacks a description of ${name}.`)
  return description
}

/** Renders the contract's descriptions of headers. */
export const renderHeaders = ({ document }: Contract, names: readonly string[]): Html => {
  const { headers } = document.components
  return renderDefinitions(names.map((name) => ({ name, description: findDescription(headers, name) })))
}

/** Describes the values that a schema allows, and its default: `an integer from 1 to 100; default 20`. */
export const describeValue = (schema: JsonSchema): string => {
  const values = describeConstraint(schema) ?? schema.type ?? 'any value'
  return schema.default === undefined ? values : `${values}; default ${schema.default}`
}
