import openapiTS, { astToString, type OpenAPITSOptions, type SchemaObject } from 'openapi-typescript'
import ts from 'typescript'

/** Members that neither openapi-fetch nor the service uses. */
const unused = ['headers', 'requestBodies', 'pathItems']

/**
 * The types of what the service reads and of what its handlers return: schemas, parameters, bodies and the responses of
 * success. The errors are one catalogue. An int64 is a `bigint`: the service keeps the whole range exactly, which a
 * `number` does not.
 */
export const typesModule = async (contract: URL): Promise<string> => {
  const interfaces = (await contractTypes(contract, () => bigint)).filter(ts.isInterfaceDeclaration)
  const named = (text: string) => interfaces.filter(({ name }) => name.text === text)
  const components = textOf(named('components'), ['responses', ...unused])
  return `${generatedNotice}${components}${textOf(named('operations'), unused, ({ name }) => isErrorStatus(name))}`
}

const isErrorStatus = (name: ts.PropertyName): boolean => ts.isNumericLiteral(name) && Number(name.text) >= 400

/**
 * The contract's types for callers, without the headers of responses, which openapi-fetch does not type. An int64 is a
 * `number` where numbers are exact, and otherwise a `bigint`. Fields with a default are optional.
 */
export const clientTypesModule = async (contract: URL): Promise<string> => {
  const int64 = (schema: SchemaObject) => (isSafe(schema) ? number : ts.factory.createUnionTypeNode([number, bigint]))
  return `${generatedNotice}${textOf(await contractTypes(contract, int64, { defaultNonNullable: false }), unused)}`
}

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

/** @param omitted the names of members that are left out, wherever they are, beside those of which `isLeftOut` says so */
const textOf = (
  nodes: ts.Node[],
  omitted: readonly string[],
  isLeftOut: (member: ts.PropertySignature) => boolean = () => false,
): string => {
  const isOmitted = (part: ts.Node): boolean =>
    ts.isPropertySignature(part) &&
    ((ts.isIdentifier(part.name) && omitted.includes(part.name.text)) || isLeftOut(part))
  const { transformed } = ts.transform(nodes, [
    (context) => (node) => {
      const visit = (part: ts.Node): ts.Node | undefined =>
        isOmitted(part) ? undefined : ts.visitEachChild(part, visit, context)
      return ts.visitEachChild(node, visit, context)
    },
  ])
  return astToString(transformed)
}

const isSafe = (schema: SchemaObject): boolean =>
  'maximum' in schema && Number(schema.maximum) <= Number.MAX_SAFE_INTEGER

const number = ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword)
const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)
