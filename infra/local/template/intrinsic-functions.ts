import { UserError } from '../../command-line/user-error.ts'
import { localRegion } from '../../operations/target/local-database.ts'
import type { Resource, Stack } from '../../synthesis/assembly.ts'
import { asList, asObject, asText, isObject } from '../../synthesis/json.ts'
import { functionArn, identifier, localAccount } from './physical-names.ts'

/** Gives a value of a stack's template with every intrinsic function in it replaced by its result. */
export type Resolve = (stack: Stack, value: unknown) => unknown

/**
 * The stacks of one environment refer to each other by exports, so they are resolved together.
 * Supported is what the CDK writes for this project; resolving anything else throws a UserError.
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

  const text = (stack: Stack, value: unknown): string => asText(resolve(stack, value), `A part of stack ${stack.name}`)

  const call = (stack: Stack, name: string, argument: unknown): unknown => {
    switch (name) {
      case 'Ref':
        return reference(stack, asText(argument, name))
      case 'Fn::GetAtt': {
        const [logicalId, attribute] = asList(argument, name).map((part) => asText(part, name))
        return attributeOf(stack, findResource(stack, logicalId), attribute)
      }
      case 'Fn::Join': {
        const [separator, parts] = asList(argument, name)
        const texts = asList(resolve(stack, parts), name).map((part) => asText(part, name))
        return texts.join(asText(separator, name))
      }
      case 'Fn::Split': {
        const [separator, whole] = asList(argument, name)
        return text(stack, whole).split(asText(separator, name))
      }
      case 'Fn::Select': {
        const [index, list] = asList(argument, name)
        const selected = asList(resolve(stack, list), name)[Number(index)]
        if (selected === undefined) throw new UserError(`Fn::Select in stack ${stack.name} selects nothing.`)
        return selected
      }
      case 'Fn::Sub':
        return asText(argument, name).replace(/\$\{([^}]*)\}/g, (_whole, part: string) => reference(stack, part))
      case 'Fn::ImportValue':
        return exported(text(stack, argument))
      default:
        throw new UserError(`The local environment does not support ${name}, which stack ${stack.name} uses.`)
    }
  }

  const reference = (stack: Stack, name: string): string =>
    pseudoParameters(stack)[name] ?? physicalName(stack, findResource(stack, name))

  const physicalName = (stack: Stack, { type, logicalId, properties }: Resource): string => {
    const given = (property: string): string => text(stack, properties[property] ?? '')
    const generated = `${stack.name}-${logicalId}`
    switch (type) {
      case 'AWS::DynamoDB::Table':
        return given('TableName') || generated
      case 'AWS::Lambda::Function':
        return given('FunctionName') || generated
      case 'AWS::Lambda::Alias':
        return `${functionArn(given('FunctionName'))}:${given('Name')}`
      case 'AWS::ApiGateway::Stage':
        return given('StageName')
      case 'AWS::ApiGateway::RestApi':
        return identifier(generated, 10)
      case 'AWS::ApiGateway::Resource':
      case 'AWS::ApiGateway::Authorizer':
      case 'AWS::ApiGateway::Deployment':
      case 'AWS::ApiGateway::UsagePlan':
        return identifier(generated, 6)
      default:
        return generated
    }
  }

  /** Other attributes stand for themselves: nothing that runs here uses their values. */
  const attributeOf = (stack: Stack, resource: Resource, attribute: string | undefined): string => {
    const name = physicalName(stack, resource)
    if (attribute === 'RootResourceId') return identifier(`${name}/`, 6)
    if (attribute === 'Arn' && resource.type === 'AWS::Lambda::Function') return functionArn(name)
    return `${name}.${attribute}`
  }

  const exported = (name: string): unknown => {
    for (const stack of stacks) {
      for (const output of Object.values(stack.outputs)) {
        const { Value, Export } = asObject(output, 'an output')
        if (isObject(Export) && resolve(stack, Export['Name']) === name) return resolve(stack, Value)
      }
    }
    throw new UserError(`No stack exports ${name}.`)
  }

  return resolve
}

const findResource = (stack: Stack, logicalId = ''): Resource => {
  const resource = stack.resources.get(logicalId)
  if (resource === undefined) throw new UserError(`Stack ${stack.name} refers to ${logicalId}, which it does not have.`)
  return resource
}

const pseudoParameters = (stack: Stack): Readonly<Record<string, string>> => ({
  'AWS::AccountId': localAccount,
  'AWS::Region': localRegion,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::StackName': stack.name,
})
