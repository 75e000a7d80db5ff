import openapiTS, { astToString, type OpenAPITSOptions, type SchemaObject } from 'openapi-typescript'
import ts from 'typescript'

/**
 * The types of what the service reads and of what its handlers return: schemas, parameters, bodies and the responses of
 * success. The errors are one catalogue. An int64 is a `bigint`: the service keeps the whole range exactly, which a
 * `number` does not.
 */
export const generateTypesModule = async (contract: URL): Promise<string> => {
  const nodes = await contractTypes(contract, () => bigint)
  const named = (name: string) => nodes.filter((node) => ts.isInterfaceDeclaration(node) && node.name.text === name)
  const components = textOf(named('components'), /^(responses|headers|requestBodies|pathItems)$/)
  return components + textOf(named('operations'), /^(headers|requestBodies|pathItems|[45]\d\d)$/)
}

/**
 * The contract's types for callers, without the headers of responses, which openapi-fetch does not type. An int64 is a
 * `number` where numbers are exact, and otherwise a `bigint`. Fields with a default are optional.
 */
export const generateClientTypesModule = async (contract: URL): Promise<string> => {
  const isSafe = (schema: SchemaObject) => 'maximum' in schema && Number(schema.maximum) <= Number.MAX_SAFE_INTEGER
  const int64 = (schema: SchemaObject) => (isSafe(schema) ? number : ts.factory.createUnionTypeNode([number, bigint]))
  return textOf(
    await contractTypes(contract, int64, { defaultNonNullable: false }),
    /^(headers|requestBodies|pathItems)$/,
  )
}

const contractTypes = (contract: URL, int64: (schema: SchemaObject) => ts.TypeNode, options: OpenAPITSOptions = {}) =>
  openapiTS(contract, { ...options, transform: (schema) => (schema.format === 'int64' ? int64(schema) : undefined) })

/** @param leftOut the names of members that neither openapi-fetch nor the service uses */
const textOf = (nodes: ts.Node[], leftOut: RegExp): string => {
  const isLeftOut = (node: ts.Node) =>
    ts.isPropertySignature(node) && 'text' in node.name && leftOut.test(node.name.text)
  const { transformed } = ts.transform(nodes, [
    (context) => (node) => {
      const visit = (part: ts.Node): ts.Node | undefined =>
        isLeftOut(part) ? undefined : ts.visitEachChild(part, visit, context)
      return ts.visitEachChild(node, visit, context)
    },
  ])
  return astToString(transformed)
}

const number = ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword)
const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
