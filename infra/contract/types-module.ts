import openapiTS, { astToString } from 'openapi-typescript'
import ts from 'typescript'

/**
 * The contract's types. An int64 is a `bigint`: the service keeps the whole range exactly, which a
 * `number` does not.
 */
export const typesModule = async (contract: URL): Promise<string> => {
  const nodes = await openapiTS(contract, {
    transform: (schema) =>
      schema.format === 'int64' ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined,
  })
  return `${generatedNotice}${astToString(nodes)}`
}

export const generatedNotice = '// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.\n'
