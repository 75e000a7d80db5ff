import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readEnvironmentTemplate } from '../../../../../infra/local/template/environment-template.ts'
import { temporaryFolder } from '../fixtures.ts'

const root = temporaryFolder()
let made = 0

type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties?: object }>>

/** A cloud assembly as the CDK writes it, of one stage with the stacks that the test gives. */
const writeAssembly = (stacks: Readonly<Record<string, Resources>>, outputs: object = {}): string => {
  made += 1
  const folder = join(root, `assembly-${made}`)
  const stage = join(folder, 'assembly-staging')
  mkdirSync(stage, { recursive: true })
  const write = (path: string, content: object): void => writeFileSync(path, JSON.stringify(content))
  write(join(folder, 'manifest.json'), {
    artifacts: {
      Tree: { type: 'cdk:tree' },
      'assembly-staging': {
        type: 'cdk:cloud-assembly',
        properties: { directoryName: 'assembly-staging', displayName: 'staging' },
      },
    },
  })
  const artifacts = Object.keys(stacks).flatMap((name) => [
    [name, { type: 'aws:cloudformation:stack', properties: { templateFile: `${name}.json`, stackName: name } }],
    [`${name}.assets`, { type: 'cdk:asset-manifest', properties: { file: `${name}.assets.json` } }],
  ])
  write(join(stage, 'manifest.json'), { artifacts: Object.fromEntries(artifacts) })
  for (const [name, Resources] of Object.entries(stacks)) {
    write(join(stage, `${name}.json`), { Resources, Outputs: outputs })
    write(join(stage, `${name}.assets.json`), {
      files: { one: { source: { path: '../asset.one' }, destinations: { here: { objectKey: 'one.zip' } } } },
    })
  }
  return folder
}

const ref = (Ref: string) => ({ Ref })

const table: Resources = {
  Pets: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
    },
  },
}

const handler: Resources = {
  Handler: {
    Type: 'AWS::Lambda::Function',
    Properties: {
      Code: { S3Bucket: 'assets', S3Key: 'one.zip' },
      Handler: 'index.handler',
      Timeout: 10,
      MemorySize: 1024,
      Environment: { Variables: { PETS_TABLE: ref('Pets') } },
    },
  },
}

const uri = {
  'Fn::Join': [
    '',
    ['arn:aws:apigateway:x:lambda:path/functions/', { 'Fn::GetAtt': ['Handler', 'Arn'] }, '/invocations'],
  ],
}

const api: Resources = {
  Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { ApiKeySourceType: 'AUTHORIZER' } },
  Stage: {
    Type: 'AWS::ApiGateway::Stage',
    Properties: { RestApiId: ref('Api'), StageName: 'v1', DeploymentId: ref('Deployment') },
  },
  Deployment: { Type: 'AWS::ApiGateway::Deployment', Properties: { RestApiId: ref('Api') } },
  Authorizer: {
    Type: 'AWS::ApiGateway::Authorizer',
    Properties: { RestApiId: ref('Api'), Type: 'REQUEST', AuthorizerUri: uri, AuthorizerResultTtlInSeconds: 0 },
  },
  PetsPath: {
    Type: 'AWS::ApiGateway::Resource',
    Properties: { RestApiId: ref('Api'), ParentId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] }, PathPart: 'pets' },
  },
  PetPath: {
    Type: 'AWS::ApiGateway::Resource',
    Properties: { RestApiId: ref('Api'), ParentId: ref('PetsPath'), PathPart: '{petId}' },
  },
  GetRoot: {
    Type: 'AWS::ApiGateway::Method',
    Properties: {
      RestApiId: ref('Api'),
      ResourceId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] },
      HttpMethod: 'OPTIONS',
      AuthorizationType: 'NONE',
      Integration: {
        Type: 'MOCK',
        IntegrationResponses: [
          { StatusCode: '204', ResponseParameters: { 'method.response.header.Access-Control-Allow-Origin': "'*'" } },
        ],
      },
    },
  },
  GetPet: {
    Type: 'AWS::ApiGateway::Method',
    Properties: {
      RestApiId: ref('Api'),
      ResourceId: ref('PetPath'),
      HttpMethod: 'GET',
      AuthorizationType: 'CUSTOM',
      AuthorizerId: ref('Authorizer'),
      ApiKeyRequired: true,
      Integration: { Type: 'AWS_PROXY', Uri: uri },
    },
  },
  Unauthorized: {
    Type: 'AWS::ApiGateway::GatewayResponse',
    Properties: {
      RestApiId: ref('Api'),
      ResponseType: 'UNAUTHORIZED',
      StatusCode: '401',
      ResponseParameters: { 'gatewayresponse.header.A': "'b'" },
      ResponseTemplates: { 'application/json': '{}' },
    },
  },
  Free: {
    Type: 'AWS::ApiGateway::UsagePlan',
    Properties: {
      UsagePlanName: 'free',
      ApiStages: [{ ApiId: ref('Api'), Stage: ref('Stage') }],
      Throttle: { RateLimit: 1, BurstLimit: 120 },
      Quota: { Limit: 1_000, Period: 'DAY' },
    },
  },
  Elsewhere: { Type: 'AWS::ApiGateway::UsagePlan', Properties: { ApiStages: [{ ApiId: 'other', Stage: 'v1' }] } },
}

const whole = { service: { ...table, ...handler, ...api } }
const read = (stacks: Readonly<Record<string, Resources>>) => readEnvironmentTemplate(writeAssembly(stacks), 'staging')

/** The whole template with one resource's properties changed. */
const changed = (logicalId: keyof typeof api | 'Handler', change: object) => {
  const { Type = '', Properties } = whole.service[logicalId] ?? {}
  return { service: { ...whole.service, [logicalId]: { Type, Properties: { ...Properties, ...change } } } }
}

describe('The template of an environment', () => {
  test('gives the REST API with its tree, methods, gateway responses and usage plans', () => {
    const { restApi } = read(whole)
    expect(restApi.stageName).toBe('v1')
    expect(restApi.deploymentId).toMatch(/^[0-9a-z]{6}$/)
    expect(restApi.resources.map(({ path, methods }) => [path, [...methods.keys()]])).toEqual([
      ['/', ['OPTIONS']],
      ['/pets', []],
      ['/pets/{petId}', ['GET']],
    ])
    expect(restApi.resources[2]?.methods.get('GET')).toEqual({
      authorizer: { functionName: 'service-Handler' },
      apiKeyRequired: true,
      integration: { type: 'AWS_PROXY', functionName: 'service-Handler', timeoutMilliseconds: 29_000 },
    })
    expect(restApi.resources[0]?.methods.get('OPTIONS')?.integration).toEqual({
      type: 'MOCK',
      response: { status: 204, headers: { 'Access-Control-Allow-Origin': '*' }, body: undefined },
    })
    expect(restApi.gatewayResponses.get('UNAUTHORIZED')).toEqual({
      status: 401,
      headers: { A: 'b' },
      body: '{}',
    })
    expect([...restApi.usagePlans.values()]).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-z]{6}$/),
        throttle: { ratePerSecond: 1, burst: 120 },
        dailyQuota: 1_000,
      },
    ])
  })

  test('gives the functions with their bundles and environments', () => {
    const folder = writeAssembly(whole)
    expect([...readEnvironmentTemplate(folder, 'staging').functions.values()]).toEqual([
      {
        name: 'service-Handler',
        folder: join(folder, 'asset.one'),
        handler: 'index.handler',
        timeoutMilliseconds: 10_000,
        memoryMegabytes: 1_024,
        environment: { PETS_TABLE: 'service-Pets' },
      },
    ])
  })

  test('gives a method whose integration names an alias the function behind it', () => {
    const alias = { Type: 'AWS::Lambda::Alias', Properties: { FunctionName: ref('Handler'), Name: 'live' } }
    const Uri = { 'Fn::Join': ['', ['arn:aws:apigateway:x:lambda:path/functions/', ref('Alias'), '/invocations']] }
    const stacks = changed('GetPet', { Integration: { Type: 'AWS_PROXY', Uri } })
    const { restApi } = read({ service: { ...stacks.service, Alias: alias } })
    expect(restApi.resources[2]?.methods.get('GET')?.integration).toMatchObject({ functionName: 'service-Handler' })
  })

  test('has the same identifiers at each start', () => {
    expect(read(whole).restApi).toEqual(read(whole).restApi)
  })

  test('may have resources of other types', () => {
    const more = { Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties: { Period: { 'Fn::Unknown': [] } } } }
    expect(read({ ...whole, more }).tables).toHaveLength(1)
  })

  test.each([
    ['no REST API', { service: table }, 'The template must have one REST API; it has none.'],
    ['no table', { service: { ...handler, ...api, Pets: { Type: 'AWS::SQS::Queue' } } }, 'no DynamoDB table'],
    ['an API key in a header', changed('Api', { ApiKeySourceType: 'HEADER' }), 'set ApiKeySourceType to AUTHORIZER'],
    ['an authorizer with a cache', changed('Authorizer', { AuthorizerResultTtlInSeconds: 300 }), 'TTL 0'],
    ['a TOKEN authorizer', changed('Authorizer', { Type: 'TOKEN' }), 'only REQUEST authorizers'],
    ['a monthly quota', changed('Free', { Quota: { Limit: 1, Period: 'MONTH' } }), 'quota period DAY'],
    [
      'a variable in the body of a gateway response',
      changed('Unauthorized', { ResponseTemplates: { 'application/json': '$context.stage' } }),
      'no variables in the body of the gateway response UNAUTHORIZED',
    ],
    [
      'a variable in a header of a gateway response',
      changed('Unauthorized', { ResponseParameters: { 'gatewayresponse.header.A': 'context.stage' } }),
      'only literals in single quotes as headers of the gateway response UNAUTHORIZED',
    ],
    [
      'IAM authorization',
      changed('GetPet', { AuthorizerId: undefined, AuthorizationType: 'AWS_IAM' }),
      'GET /pets/{petId} only with a Lambda authorizer',
    ],
    ['an HTTP integration', changed('GetPet', { Integration: { Type: 'HTTP' } }), 'neither AWS_PROXY nor MOCK'],
    [
      'a function without a bundle',
      changed('Handler', { Code: { S3Key: 'two.zip' } }),
      'no bundle for the function service-Handler',
    ],
    ['a stage of another API', changed('Stage', { RestApiId: 'other' }), 'has no stage'],
  ])('with %s is an error in a sentence', (_name, stacks, sentence) => {
    expect(() => read(stacks)).toThrow(sentence)
  })

  test('must have the stage', () => {
    expect(() => readEnvironmentTemplate(writeAssembly(whole), 'testing')).toThrow('no stage named testing')
  })
})
