import { UserError } from '../../command-line/user-error.ts'
import { localRegion } from '../../operations/target/local-database.ts'
import type { Resource, Stack } from '../../synthesis/assembly.ts'
import { isObject, type JsonObject } from '../../synthesis/json.ts'

/** The error for what a template has and the local environment does not run. */
export const unsupported = (what: string): UserError => new UserError(`The local environment does not support ${what}.`)

export const localAccount = '000000000000'

export const functionArn = (functionName: string): string =>
  `arn:aws:lambda:${localRegion}:${localAccount}:function:${functionName}`

/** Gives a value of a stack's template with every intrinsic function in it replaced by its result. */
export type Resolve = (stack: Stack, value: unknown) => unknown

/**
 * The stacks of one environment refer to each other by exports, so they are resolved together. Names are the same at each
 * start, because the data folder outlives a start. Supported is what the CDK writes for this project.
 *
 * @throws UserError for anything else
 */
export const createResolve = (stacks: readonly Stack[]): Resolve => {
  const resolve: Resolve = (stack, value) => {
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
    'Fn::ImportValue': (_, name: string) => exported(name),
  }

  const call = (stack: Stack, name: string, argument: unknown): unknown => {
    const found = functions[name]
    if (found === undefined) throw unsupported(`${name}, which stack ${stack.name} uses`)
    // The CDK writes the arguments that CloudFormation documents: a list of them, or a single one.
    return found(stack, ...([resolve(stack, argument)].flat() as never[]))
  }

  const reference = (stack: Stack, name: string): string =>
    pseudoParameters(stack)[name] ?? physicalName(stack, findResource(stack, name))

  const physicalName = (stack: Stack, { type, logicalId, properties, metadata }: Resource): string => {
    const given = (property: string): string => String(resolve(stack, properties[property]))
    // A function has the name of its folder in `functions/`, which the construct gives to the resource.
    if (typeof metadata['operation'] === 'string') return metadata['operation']
    if (type === 'AWS::ApiGateway::Stage') return given('StageName')
    if (type === 'AWS::Lambda::Alias') return `${functionArn(given('FunctionName'))}:${given('Name')}`
    return `${stack.name}-${logicalId}`
  }

  /** Other attributes than the ARN of a function stand for themselves: nothing that runs here uses their values. */
  const attributeOf = (stack: Stack, logicalId: string, attribute: string): string => {
    const resource = findResource(stack, logicalId)
    const name = physicalName(stack, resource)
    return attribute === 'Arn' && resource.type === 'AWS::Lambda::Function' ? functionArn(name) : `${name}.${attribute}`
  }

  const exported = (name: string): unknown => {
    for (const stack of stacks) {
      for (const { Value, Export } of Object.values(stack.template.Outputs ?? {})) {
        if (Export !== undefined && resolve(stack, Export.Name) === name) return resolve(stack, Value)
      }
    }
    throw unsupported(`the import of ${name}, which no stack exports`)
  }

  return resolve
}

const findResource = (stack: Stack, logicalId: string): Resource => {
  const resource = stack.resources.get(logicalId)
  if (resource === undefined) throw unsupported(`${logicalId}, to which stack ${stack.name} refers without having it`)
  return resource
}

const pseudoParameters = (stack: Stack): Readonly<Record<string, string>> => ({
  'AWS::AccountId': localAccount,
  'AWS::Region': localRegion,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::StackName': stack.name,
})

/** A resource of a template with its intrinsic functions resolved. */
export interface ResolvedResource<Properties> {
  /** What `Ref` gives. */
  readonly name: string
  readonly stack: Stack
  readonly metadata: JsonObject
  readonly properties: Properties
}

/** Gives the resources of one type, such as `Lambda::Function`, whose properties are as CloudFormation documents them. */
export type ResourcesOf = <Properties>(type: string) => readonly ResolvedResource<Properties>[]

export const createResourcesOf =
  (stacks: readonly Stack[], resolve: Resolve): ResourcesOf =>
  <Properties>(type: string) =>
    stacks.flatMap((stack) =>
      [...stack.resources.values()]
        .filter((resource) => resource.type === `AWS::${type}`)
        .map(({ logicalId, metadata, properties }) => ({
          name: String(resolve(stack, { Ref: logicalId })),
          stack,
          metadata,
          // CloudFormation would reject a template with properties of another shape.
          properties: resolve(stack, properties) as Properties,
        })),
    )
