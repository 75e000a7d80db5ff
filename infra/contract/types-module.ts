import openapiTS, { astToString, type OpenAPITSOptions, type SchemaObject } from 'openapi-typescript'
import ts from 'typescript'

const numberType = ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword)
const bigintType = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)

/**
 * Generates the types that the service uses: schemas, parameters, bodies and successful responses. Errors have a
 * catalogue instead of types. An int64 is a `bigint`, because a `number` rounds large values.
 */
export const generateTypesModule = async (contract: URL): Promise<string> => {
  const nodes = await generateTypes(contract, () => bigintType)
  const findInterface = (name: string) =>
    nodes.filter((node) => ts.isInterfaceDeclaration(node) && node.name.text === name)

  // The responses among the components are errors. The responses of success stand in the operations.
  const components = printWithout(/^(responses|headers|requestBodies|pathItems)$/, findInterface('components'))
  const operations = printWithout(/^(headers|requestBodies|pathItems|[45]\d\d)$/, findInterface('operations'))
  return components + operations
}

/**
 * Generates the contract's types for callers, without the headers of responses, which openapi-fetch does not type. An
 * int64 is a `number` if its maximum is a safe integer, and otherwise `number | bigint`. Fields with a default
 * are optional.
 */
export const generateClientTypesModule = async (contract: URL): Promise<string> => {
  const createInt64Type = (schema: SchemaObject): ts.TypeNode => {
    const isExact = 'maximum' in schema && Number(schema.maximum) <= Number.MAX_SAFE_INTEGER
    return isExact ? numberType : ts.factory.createUnionTypeNode([numberType, bigintType])
  }
  const nodes = await generateTypes(contract, createInt64Type, { defaultNonNullable: false })
  return printWithout(/^(headers|requestBodies|pathItems)$/, nodes)
}

const generateTypes = (
  contract: URL,
  createInt64Type: (schema: SchemaObject) => ts.TypeNode,
  options: OpenAPITSOptions = {},
): Promise<ts.Node[]> =>
  openapiTS(contract, {
    ...options,
    transform: (schema) => (schema.format === 'int64' ? createInt64Type(schema) : undefined),
  })

/** Prints declarations without the members whose names match a pattern. */
const printWithout = (pattern: RegExp, nodes: ts.Node[]): string => {
  const isOmitted = (node: ts.Node): boolean =>
    ts.isPropertySignature(node) && 'text' in node.name && pattern.test(node.name.text)

  const omitMembers: ts.TransformerFactory<ts.Node> = (context) => (root) => {
    const visit = (node: ts.Node): ts.Node | undefined =>
      isOmitted(node) ? undefined : ts.visitEachChild(node, visit, context)
    return ts.visitEachChild(root, visit, context)
  }
  return astToString(ts.transform(nodes, [omitMembers]).transformed)
}
