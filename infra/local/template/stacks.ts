import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../command-line/user-error.ts'
import { localRegion } from '../../operations/environment/local-database.ts'

export type JsonObject = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A stack as the CDK has written it. */
export interface Stack {
  readonly name: string
  /** Of its template. */
  readonly folder: string
  readonly template: {
    readonly Resources: Readonly<Record<string, TemplateResource>>
    readonly Outputs?: Readonly<
      Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: unknown } }>
    >
  }
}

interface TemplateResource {
  readonly Type: string
  readonly Properties?: JsonObject
  /** With the path of its asset from the folder of the template: `aws:asset:path`. */
  readonly Metadata?: JsonObject
}

interface Artifact {
  readonly type: string
  readonly properties: { readonly stackName: string; readonly templateFile: string }
}

/** The stacks of one CDK Stage, read from a cloud assembly. */
export const readStacks = (assembly: string, stage: string): readonly Stack[] => {
  const folder = join(assembly, `assembly-${stage}`)
  /** The CDK alone writes these files. */
  const read = <Content>(file: string): Content => JSON.parse(readFileSync(join(folder, file), 'utf8'))
  return Object.values(read<{ artifacts: Record<string, Artifact> }>('manifest.json').artifacts)
    .filter(({ type }) => type === 'aws:cloudformation:stack')
    .map(({ properties }) => ({ name: properties.stackName, folder, template: read(properties.templateFile) }))
}

export type FindResources = ReturnType<typeof resolveStacks>['resourcesOf']

/** The error for what a template has and the local environment does not run. */
export const unsupportedError = (what: string): UserError =>
  new UserError(`The local environment does not support ${what}.`)

export const localAccount = '000000000000'

const functionArn = (name: string): string => `arn:aws:lambda:${localRegion}:${localAccount}:function:${name}`

/**
 * Replaces intrinsic functions by their results. The stacks of one environment refer to each other by exports, so they are
 * resolved together. Names are the same at each start, because the data folder outlives a start. Supported is what the
 * CDK writes for this project; anything else throws a UserError.
 */
export const resolveStacks = (stacks: readonly Stack[]) => {
  const outputs = stacks.flatMap((stack) =>
    Object.entries(stack.template.Outputs ?? {}).map(([name, output]) => ({ stack, name, ...output })),
  )

  const resolve = (stack: Stack, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => resolve(stack, item))
    if (!isObject(value)) return value
    const entries = Object.entries(value)
    const [name = '', argument] = entries[0] ?? []
    if (entries.length === 1 && (name === 'Ref' || name.startsWith('Fn::'))) return call(stack, name, argument)
    return Object.fromEntries(entries.map(([key, item]) => [key, resolve(stack, item)]))
  }

  const functions: Readonly<Record<string, (stack: Stack, ...values: never[]) => unknown>> = {
    Ref: (stack, name: string) => reference(stack, name),
    'Fn::GetAtt': (stack, logicalId: string, attribute: string) => attributeOf(stack, logicalId, attribute),
    'Fn::Join': (_, separator: string, parts: readonly string[]) => parts.join(separator),
    'Fn::Split': (_, separator: string, text: string) => text.split(separator),
    'Fn::Select': (_, index: string, list: readonly unknown[]) => list[Number(index)],
    'Fn::Sub': (stack, text: string) => text.replace(/\$\{([^}]*)\}/g, (_, name: string) => reference(stack, name)),
    'Fn::ImportValue': (_, name: string) => {
      const found = outputs.find(({ stack, Export }) => Export !== undefined && resolve(stack, Export.Name) === name)
      if (found === undefined) throw unsupportedError(`the import of ${name}, which no stack exports`)
      return resolve(found.stack, found.Value)
    },
  }

  const call = (stack: Stack, name: string, argument: unknown): unknown => {
    const found = functions[name]
    if (found === undefined) throw unsupportedError(`${name}, which stack ${stack.name} uses`)
    // The CDK writes the arguments that CloudFormation documents: a list of them, or a single one.
    return found(stack, ...([resolve(stack, argument)].flat() as never[]))
  }

  const reference = (stack: Stack, name: string): string => pseudoParameters(stack)[name] ?? physicalName(stack, name)

  const physicalName = (stack: Stack, logicalId: string): string => {
    const { Type, Properties = {}, Metadata = {} } = findResource(stack, logicalId)
    const given = (property: string): string => String(resolve(stack, Properties[property]))
    // A function has the name of its folder in `functions/`, which the construct gives to the resource.
    if (typeof Metadata['operation'] === 'string') return Metadata['operation']
    if (Type === 'AWS::ApiGateway::Stage') return given('StageName')
    if (Type === 'AWS::Lambda::Alias') return `${functionArn(given('FunctionName'))}:${given('Name')}`
    return `${stack.name}-${logicalId}`
  }

  /** Other attributes than the ARN of a function stand for themselves: nothing that runs here uses their values. */
  const attributeOf = (stack: Stack, logicalId: string, attribute: string): string => {
    const name = physicalName(stack, logicalId)
    const isFunction = findResource(stack, logicalId).Type === 'AWS::Lambda::Function'
    return attribute === 'Arn' && isFunction ? functionArn(name) : `${name}.${attribute}`
  }

  /** The resources of one type, such as `Lambda::Function`, with what `Ref` gives as their name. */
  const resourcesOf = <Properties>(type: string) =>
    stacks.flatMap((stack) =>
      Object.entries(stack.template.Resources)
        .filter(([, { Type }]) => Type === `AWS::${type}`)
        .map(([logicalId, { Metadata = {}, Properties = {} }]) => ({
          ...{ name: physicalName(stack, logicalId), stack, metadata: Metadata },
          // CloudFormation would reject a template with properties of another shape.
          properties: resolve(stack, Properties) as Properties,
        })),
    )

  /** The value of an output; the names of outputs differ between the stacks. */
  const outputOf = (name: string): string => {
    const found = outputs.find((output) => output.name === name)
    return String(found && resolve(found.stack, found.Value))
  }

  return { resolve, resourcesOf, outputOf }
}

const findResource = (stack: Stack, logicalId: string): TemplateResource => {
  const resource = stack.template.Resources[logicalId]
  if (resource === undefined)
    throw unsupportedError(`${logicalId}, to which stack ${stack.name} refers without having it`)
  return resource
}

const pseudoParameters = (stack: Stack): Readonly<Record<string, string>> => ({
  'AWS::AccountId': localAccount,
  'AWS::Region': localRegion,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::StackName': stack.name,
})
