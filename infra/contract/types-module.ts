import openapiTS, { astToString, type OpenAPITSOptions, type SchemaObject } from 'openapi-typescript'
import ts from 'typescript'

/**
 * The contract's types. An int64 is a `bigint`: the service keeps the whole range exactly, which a
 * `number` does not.
 */
export const typesModule = (contract: URL): Promise<string> => contractTypes(contract, () => bigint)

/**
 * The contract's types for callers. An int64 is a `number` as far as a number is exact, and a `bigint`
 * beyond it. What has a default need not be sent.
 */
export const clientTypesModule = (contract: URL): Promise<string> =>
  contractTypes(contract, (schema) => (isSafe(schema) ? number : ts.factory.createUnionTypeNode([number, bigint])), {
    defaultNonNullable: false,
  })

export const generatedNotice = '// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.\n'

const contractTypes = async (
  contract: URL,
  int64: (schema: SchemaObject) => ts.TypeNode,
  options: OpenAPITSOptions = {},
): Promise<string> => {
  const nodes = await openapiTS(contract, {
    ...options,
    transform: (schema) => (schema.format === 'int64' ? int64(schema) : undefined),
  })
  return `${generatedNotice}${astToString(nodes)}`
}

const isSafe = (schema: SchemaObject): boolean =>
  'maximum' in schema && Number(schema.maximum) <= Number.MAX_SAFE_INTEGER

const number = ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword)
const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
