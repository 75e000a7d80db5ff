import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../command-line/user-error.ts'
import { localRegion } from '../../commands/environment/local-database.ts'

export type JsonObject = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A stack with its synthesized template. */
export interface Stack {
  readonly name: string
  /** Folder of the template. */
  readonly folder: string
  readonly template: {
    readonly Resources: Readonly<Record<string, TemplateResource>>
    readonly Outputs?: Readonly<Record<string, TemplateOutput>>
  }
}

interface TemplateResource {
  readonly Type: string
  readonly Properties?: JsonObject
  /** Contains `operation`, the folder of a function in `functions/`, and `aws:asset:path`, relative to the template. */
  readonly Metadata?: JsonObject
}

interface TemplateOutput {
  readonly Value: unknown
  readonly Export?: { readonly Name: unknown }
}

/** The part of a cloud assembly's `manifest.json` that is read here. */
interface Manifest {
  readonly artifacts: Readonly<Record<string, Artifact>>
}

interface Artifact {
  readonly type: string
  readonly properties: { readonly stackName: string; readonly templateFile: string }
}

/** Reads the stacks of one CDK Stage from a cloud assembly. */
export const readStacks = (assembly: string, stage: string): readonly Stack[] => {
  const folder = join(assembly, `assembly-${stage}`)
  // The files are not validated: only the CDK writes them.
  const readJson = <Content>(file: string): Content => JSON.parse(readFileSync(join(folder, file), 'utf8'))

  const { artifacts } = readJson<Manifest>('manifest.json')
  return Object.values(artifacts)
    .filter(({ type }) => type === 'aws:cloudformation:stack')
    .map(({ properties }) => ({
      name: properties.stackName,
      folder,
      template: readJson(properties.templateFile),
    }))
}

/** Creates the error for a part of a template that the local environment cannot run. */
export const createUnsupportedError = (part: string): UserError =>
  new UserError(`The local environment does not support ${part}.`)

export const localAccount = '000000000000'

const createFunctionArn = (name: string): string => `arn:aws:lambda:${localRegion}:${localAccount}:function:${name}`

export type FindResources = ReturnType<typeof resolveStacks>['findResources']

/**
 * Replaces the intrinsic functions of templates by their results. The stacks of an environment refer to each other by
 * exports, so they are resolved together.
 *
 * Unlike CloudFormation it supports only what the CDK writes for this project; anything else throws a UserError.
 * Physical names derive from logical ids, so a data folder has the same tables at each start. The ARN of a function has
 * its real form; every other attribute is a placeholder, because nothing that runs locally uses it.
 */
export const resolveStacks = (stacks: readonly Stack[]) => {
  const outputs = stacks.flatMap((stack) =>
    Object.entries(stack.template.Outputs ?? {}).map(([name, output]) => ({ stack, name, ...output })),
  )

  const resolve = (stack: Stack, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => resolve(stack, item))
    if (!isObject(value)) return value

    // A call of an intrinsic function is an object with one member, such as `{ Ref: 'Pets' }`.
    const entries = Object.entries(value)
    const [name = '', argument] = entries[0] ?? []
    const isFunctionCall = entries.length === 1 && (name === 'Ref' || name.startsWith('Fn::'))
    if (isFunctionCall) return callFunction(stack, name, toList(resolve(stack, argument)))
    return Object.fromEntries(entries.map(([key, item]) => [key, resolve(stack, item)]))
  }

  /** Calls an intrinsic function. CloudFormation documents the arguments of each one, so they are not validated. */
  const callFunction = (stack: Stack, name: string, [first, second]: readonly unknown[]): unknown => {
    switch (name) {
      case 'Ref':
        return resolveReference(stack, String(first))
      case 'Fn::GetAtt':
        return readAttribute(stack, String(first), String(second))
      case 'Fn::Join':
        return toList(second).join(String(first))
      case 'Fn::Split':
        return String(second).split(String(first))
      case 'Fn::Select':
        return toList(second)[Number(first)]
      case 'Fn::Sub':
        return String(first).replaceAll(/\$\{([^}]*)\}/g, (_, variable: string) => resolveReference(stack, variable))
      case 'Fn::ImportValue':
        return importValue(String(first))
      default:
        throw createUnsupportedError(`${name}, which stack ${stack.name} uses`)
    }
  }

  const importValue = (exportName: string): unknown => {
    const exported = outputs.find(
      ({ stack, Export }) => Export !== undefined && resolve(stack, Export.Name) === exportName,
    )
    if (exported === undefined) throw createUnsupportedError(`the import of ${exportName}, which no stack exports`)
    return resolve(exported.stack, exported.Value)
  }

  /** Finds the value of a pseudo parameter, or else the physical name of a resource. */
  const resolveReference = (stack: Stack, name: string): string =>
    listPseudoParameters(stack)[name] ?? findPhysicalName(stack, name)

  const findPhysicalName = (stack: Stack, logicalId: string): string => {
    const { Type, Properties = {}, Metadata = {} } = findResource(stack, logicalId)
    const readProperty = (property: string): string => String(resolve(stack, Properties[property]))
    // The construct of a function writes the name of its folder in `functions/` into the metadata.
    const { operation } = Metadata
    if (typeof operation === 'string') return operation

    switch (Type) {
      case 'AWS::ApiGateway::Stage':
        return readProperty('StageName')
      case 'AWS::Lambda::Alias':
        return `${createFunctionArn(readProperty('FunctionName'))}:${readProperty('Name')}`
      default:
        return `${stack.name}-${logicalId}`
    }
  }

  const readAttribute = (stack: Stack, logicalId: string, attribute: string): string => {
    const name = findPhysicalName(stack, logicalId)
    const isFunction = findResource(stack, logicalId).Type === 'AWS::Lambda::Function'
    return attribute === 'Arn' && isFunction ? createFunctionArn(name) : `${name}.${attribute}`
  }

  /**
   * Finds the resources of one type, with their physical names and resolved properties.
   * Example: `findResources<{ Handler: string }>('Lambda::Function')`.
   */
  const findResources = <Properties>(type: string) =>
    stacks.flatMap((stack) =>
      Object.entries(stack.template.Resources)
        .filter(([, { Type }]) => Type === `AWS::${type}`)
        .map(([logicalId, { Metadata = {}, Properties = {} }]) => ({
          name: findPhysicalName(stack, logicalId),
          stack,
          metadata: Metadata,
          // CloudFormation would reject a template with properties of another shape.
          properties: resolve(stack, Properties) as Properties,
        })),
    )

  /**
   * Finds the value of an output. No two stacks have outputs of the same name.
   *
   * @throws UserError if no stack has the output
   */
  const findOutput = (name: string): string => {
    const output = outputs.find((candidate) => candidate.name === name)
    if (output === undefined) throw createUnsupportedError(`stacks without the output ${name}`)
    return String(resolve(output.stack, output.Value))
  }

  return { findResources, findOutput }
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

const findResource = (stack: Stack, logicalId: string): TemplateResource => {
  const resource = stack.template.Resources[logicalId]
  if (resource === undefined) {
    throw createUnsupportedError(`${logicalId}, to which stack ${stack.name} refers without having it`)
  }
  return resource
}

/** Creates the id of a stack. On AWS its last part is random; here it depends on the name, as physical names do. */
const createStackId = (name: string): string => {
  const digits = createHash('sha256').update(name).digest('hex').slice(0, 32)
  const uuid = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return `arn:aws:cloudformation:${localRegion}:${localAccount}:stack/${name}/${uuid}`
}

const listPseudoParameters = (stack: Stack): Readonly<Record<string, string>> => ({
  'AWS::AccountId': localAccount,
  'AWS::Region': localRegion,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::StackName': stack.name,
  'AWS::StackId': createStackId(stack.name),
})
