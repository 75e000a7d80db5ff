import { UserError } from '../../command-line/user-error.ts'
import { localRegion } from '../../operations/target/local-database.ts'
import type { Resource, Stack } from '../../synthesis/assembly.ts'
import { asList, asObject, asText, isObject, type JsonObject } from '../../synthesis/json.ts'
import { functionArn, functionNameIn, identifier, localAccount, tableArn } from './physical-names.ts'

/** Gives a value of a stack's template with every intrinsic function in it replaced by its result. */
export type Resolve = (stack: Stack, value: unknown) => unknown

/** What `AWS::NoValue` stands for: a property that is not there. */
const noValue = Symbol('AWS::NoValue')

/** The stacks of one environment refer to each other by exports, so they are resolved together. */
export const createResolve = (stacks: readonly Stack[]): Resolve => {
  const resolver = new Resolver(stacks)
  return (stack, value) => resolver.resolve(stack, value)
}

class Resolver {
  readonly #stacks: readonly Stack[]

  constructor(stacks: readonly Stack[]) {
    this.#stacks = stacks
  }

  resolve(stack: Stack, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(stack, item)).filter((item) => item !== noValue)
    if (!isObject(value)) return value
    const [[name, argument] = [undefined, undefined], ...others] = Object.entries(value)
    if (name !== undefined && others.length === 0 && isIntrinsic(name)) return this.#call(stack, name, argument)
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, item]) => [key, this.resolve(stack, item)] as const)
        .filter(([, item]) => item !== noValue),
    )
  }

  #text(stack: Stack, value: unknown): string {
    const resolved = this.resolve(stack, value)
    if (typeof resolved === 'number' || typeof resolved === 'boolean') return String(resolved)
    return asText(resolved, `A part of a text in stack ${stack.name}`)
  }

  #call(stack: Stack, name: string, argument: unknown): unknown {
    switch (name) {
      case 'Ref':
        return this.#reference(stack, asText(argument, name))
      case 'Fn::GetAtt': {
        const [logicalId, ...path] = typeof argument === 'string' ? argument.split('.') : asList(argument, name)
        return this.#attribute(stack, asText(logicalId, name), path.map((part) => this.#text(stack, part)).join('.'))
      }
      case 'Fn::Join': {
        const [separator, parts] = asList(argument, name)
        const texts = asList(this.resolve(stack, parts), name).map((part) => this.#text(stack, part))
        return texts.join(asText(separator, name))
      }
      case 'Fn::Split': {
        const [separator, whole] = asList(argument, name)
        return this.#text(stack, whole).split(asText(separator, name))
      }
      case 'Fn::Select': {
        const [index, list] = asList(argument, name)
        const selected = asList(this.resolve(stack, list), name)[Number(this.#text(stack, index))]
        if (selected === undefined) throw new UserError(`Fn::Select in stack ${stack.name} selects nothing.`)
        return selected
      }
      case 'Fn::Sub':
        return this.#substitute(stack, argument)
      case 'Fn::ImportValue':
        return this.#exported(this.#text(stack, argument))
      default:
        throw new UserError(`The local environment does not know ${name}, which stack ${stack.name} uses.`)
    }
  }

  #reference(stack: Stack, name: string): unknown {
    if (name === 'AWS::NoValue') return noValue
    return pseudoParameters(stack)[name] ?? this.#physicalName(stack, findResource(stack, name))
  }

  #physicalName(stack: Stack, resource: Resource): string {
    const given = (property: string): string => this.#text(stack, resource.properties[property] ?? '')
    const generated = `${stack.name}-${resource.logicalId}`
    switch (resource.type) {
      case 'AWS::DynamoDB::Table':
      case 'AWS::DynamoDB::GlobalTable':
        return given('TableName') || generated
      case 'AWS::Lambda::Function':
        return given('FunctionName') || generated
      case 'AWS::Lambda::Version':
        return `${functionArn(bareFunctionName(given('FunctionName')))}:1`
      case 'AWS::Lambda::Alias':
        return `${functionArn(bareFunctionName(given('FunctionName')))}:${given('Name')}`
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

  #attribute(stack: Stack, logicalId: string, name: string): unknown {
    const resource = findResource(stack, logicalId)
    const physicalName = this.#physicalName(stack, resource)
    if (name === 'RootResourceId') return identifier(`${physicalName}/`, 6)
    if (name === 'Version') return '1'
    if (name !== 'Arn') return `${physicalName}.${name}`
    if (resource.type === 'AWS::Lambda::Function') return functionArn(physicalName)
    if (resource.type.startsWith('AWS::DynamoDB::')) return tableArn(physicalName)
    const service = resource.type.split('::')[1]?.toLowerCase()
    return `arn:aws:${service}:${localRegion}:${localAccount}:${physicalName}`
  }

  #exported(name: string): unknown {
    for (const stack of this.#stacks) {
      for (const output of Object.values(stack.outputs)) {
        const { Value, Export } = asObject(output, 'an output')
        if (isObject(Export) && this.resolve(stack, Export['Name']) === name) return this.resolve(stack, Value)
      }
    }
    throw new UserError(`No stack exports ${name}.`)
  }

  #substitute(stack: Stack, argument: unknown): string {
    const [template, variables] = Array.isArray(argument) ? argument : [argument, {}]
    const named: JsonObject = asObject(variables, 'The variables of Fn::Sub')
    return asText(template, 'The text of Fn::Sub').replace(/\$\{([^}]*)\}/g, (_whole, name: string) => {
      // `${!Literal}` is how a template writes a text that only looks like a variable.
      if (name.startsWith('!')) return `\${${name.slice(1)}}`
      if (named[name] !== undefined) return this.#text(stack, named[name])
      const [logicalId = '', ...path] = name.split('.')
      return this.#text(stack, path.length > 0 ? { 'Fn::GetAtt': [logicalId, path.join('.')] } : { Ref: logicalId })
    })
  }
}

/** `FunctionName` of a version or an alias is the function's name or its ARN. */
const bareFunctionName = (name: string): string => functionNameIn(name) ?? name

const isIntrinsic = (name: string): boolean => name === 'Ref' || name.startsWith('Fn::')

const findResource = (stack: Stack, logicalId: string): Resource => {
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
  'AWS::StackId': `arn:aws:cloudformation:${localRegion}:${localAccount}:stack/${stack.name}/local`,
})
