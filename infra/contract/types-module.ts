import { readFileSync } from 'node:fs'
import openapiTS, { astToString, type SchemaObject } from 'openapi-typescript'
import ts from 'typescript'
import { parse } from 'yaml'
import type { JsonSchema } from './openapi.ts'

const numberType = ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword)
const bigintType = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword)

/**
 * Generates the types that the service uses: schemas, parameters, bodies and successful responses. Errors have a
 * catalogue instead of types. An integer is a `bigint`, because a `number` rounds large values.
 */
export const generateTypesModule = async (contract: URL): Promise<string> =>
  printTypes(await generateTypes(contract, () => bigintType))

/**
 * Generates the same types for callers. An integer is a `number`, or `number | bigint` if its format is int64 and its
 * bounds are no safe integers.
 */
export const generateClientTypesModule = async (contract: URL): Promise<string> => {
  const createIntegerType = (schema: SchemaObject): ts.TypeNode => {
    // SchemaObject lists bounds only beside a type, which the compiler cannot see here.
    const { format, minimum, maximum } = schema as JsonSchema
    const isExact = format !== 'int64' || (Number.isSafeInteger(minimum) && Number.isSafeInteger(maximum))
    return isExact ? numberType : ts.factory.createUnionTypeNode([numberType, bigintType])
  }
  return printTypes(await generateTypes(contract, createIntegerType))
}

/** Reviver that omits `additionalProperties: true`: no code of this version reads a field that responses get later. */
const omitOpenness = (keyword: unknown, value: unknown): unknown =>
  keyword === 'additionalProperties' && value === true ? undefined : value

const generateTypes = (contract: URL, createIntegerType: (schema: SchemaObject) => ts.TypeNode): Promise<ts.Node[]> =>
  openapiTS(parse(readFileSync(contract, 'utf8'), omitOpenness), {
    transform: (schema) => (schema.type === 'integer' ? createIntegerType(schema) : undefined),
  })

/** Prints the types of the components and of the operations, without those of errors and headers. */
const printTypes = (nodes: ts.Node[]): string => {
  const findInterface = (name: string) =>
    nodes.filter((node) => ts.isInterfaceDeclaration(node) && node.name.text === name)

  // All responses among the components are errors. Successful responses stand in the operations.
  const components = printWithout(/^(responses|headers|requestBodies|pathItems)$/, findInterface('components'))
  const operations = printWithout(/^(headers|requestBodies|pathItems|[45]\d\d)$/, findInterface('operations'))
  return components + operations
}

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
