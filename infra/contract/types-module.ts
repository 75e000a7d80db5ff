import openapiTS, { astToString, type OpenAPITSOptions, type SchemaObject } from 'openapi-typescript'
import ts from 'typescript'

/**
 * The types of what the service reads: schemas, parameters and bodies, without the responses, which are for callers.
 * An int64 is a `bigint`: the service keeps the whole range exactly, which a `number` does not.
 */
export const typesModule = async (contract: URL): Promise<string> =>
  moduleText(requestTypes(await contractTypes(contract, () => bigint)))

/**
 * The contract's types for callers. An int64 is a `number` where numbers are exact, and otherwise a `bigint`. Fields with
 * a default are optional.
 */
export const clientTypesModule = async (contract: URL): Promise<string> =>
  moduleText(
    await contractTypes(
      contract,
      (schema) => (isSafe(schema) ? number : ts.factory.createUnionTypeNode([number, bigint])),
      { defaultNonNullable: false },
    ),
  )

export const generatedNotice = '// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.\n'

const contractTypes = (
  contract: URL,
  int64: (schema: SchemaObject) => ts.TypeNode,
  options: OpenAPITSOptions = {},
): Promise<ts.Node[]> =>
  openapiTS(contract, {
    ...options,
    transform: (schema) => (schema.format === 'int64' ? int64(schema) : undefined),
  })

const moduleText = (nodes: ts.Node[]): string => `${generatedNotice}${astToString(nodes)}`

/** The parts of requests in `components` and in each of the `operations`. */
const requestTypes = (nodes: readonly ts.Node[]): ts.Node[] =>
  nodes.filter(ts.isInterfaceDeclaration).flatMap((node) => {
    if (node.name.text === 'components') return withMembers(node, node.members.filter(isOfRequests))
    if (node.name.text === 'operations') return withMembers(node, node.members.map(withoutResponses))
    return []
  })

const withoutResponses = (operation: ts.TypeElement): ts.TypeElement => {
  if (!ts.isPropertySignature(operation) || operation.type === undefined || !ts.isTypeLiteralNode(operation.type))
    throw new Error('openapi-typescript writes an operation as a property with members.')
  const { modifiers, name, questionToken, type } = operation
  const members = ts.factory.createTypeLiteralNode(type.members.filter(isOfRequests))
  return ts.factory.updatePropertySignature(operation, modifiers, name, questionToken, members)
}

const isOfRequests = ({ name }: ts.TypeElement): boolean =>
  name !== undefined && ts.isIdentifier(name) && ['schemas', 'parameters', 'requestBody'].includes(name.text)

const withMembers = (node: ts.InterfaceDeclaration, members: readonly ts.TypeElement[]): ts.Node => {
  const { modifiers, name, typeParameters, heritageClauses } = node
  return ts.factory.updateInterfaceDeclaration(node, modifiers, name, typeParameters, heritageClauses, members)
}

const isSafe = (schema: SchemaObject): boolean =>
  'maximum' in schema && Number(schema.maximum) <= Number.MAX_SAFE_INTEGER

const number = ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword)
const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
