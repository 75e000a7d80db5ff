import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type EnvironmentConfig, environments } from '../../../../../infra/environments.ts'
import { findObjections } from '../../../../../infra/operations/settings/removals.ts'
import { options, synthesize } from '../../synthesized.ts'
import { type AwsResponse, awsError, awsResult, missingStack, serveAws } from '../aws.ts'

const account = '111122223333'
const deployedConfig: EnvironmentConfig = { ...environments.production, ...options.production }

/** How CloudFormation and STS respond: the templates that are deployed, or an error. */
let deployed: Readonly<Record<string, object>>
let failure: AwsResponse | undefined

const escaped = (value: object) => JSON.stringify(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const respond = (body: string): AwsResponse => {
  const query = new URLSearchParams(body)
  if (query.get('Action') === 'GetCallerIdentity') {
    return awsResult('GetCallerIdentity', `<Account>${account}</Account>`)
  }
  const stack = query.get('StackName') ?? ''
  const template = deployed[stack]
  if (failure !== undefined) return failure
  if (template === undefined) return missingStack(stack)
  return awsResult('GetTemplate', `<TemplateBody>${escaped(template)}</TemplateBody>`)
}

let endpoint: string
beforeAll(async () => {
  const { data, api } = synthesize('production', options.production)
  deployed = { 'pet-adoption-production-data': data.toJSON(), 'pet-adoption-production-api': api.toJSON() }
  endpoint = await serveAws(respond)
})

beforeEach(() => {
  failure = undefined
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
})
afterEach(() => vi.unstubAllEnvs())

const compare = (config: EnvironmentConfig, environment: 'staging' | 'production' = 'production') =>
  findObjections({ environment, config, account, region: 'eu-west-1' })

const { tables } = environments.production

describe('a deployment is compared with what is deployed', () => {
  it.each<[string, EnvironmentConfig]>([
    ['of the same options', deployedConfig],
    ['to another alarm address', { ...deployedConfig, alarmEmail: 'other@example.org' }],
    ['of the small size', { ...deployedConfig, alarms: false, dashboard: false, release: 'all-at-once' }],
  ])('and one %s may go on', async (_, config) => {
    expect(await compare(config)).toEqual([])
  })

  it('and one of an environment that is not deployed may go on', async () => {
    expect(await compare(environments.staging, 'staging')).toEqual([])
  })

  const { domain: _domain, ...withoutDomain } = deployedConfig
  const without = (protection: keyof typeof tables): EnvironmentConfig => ({
    ...deployedConfig,
    tables: { ...tables, [protection]: false },
  })
  const otherDomain = { ...options.production.domain, name: 'b.example.org' }
  it.each<[string, 'data' | 'api', 'domain' | 'subscription' | 'protection', EnvironmentConfig]>([
    ['the domain api.example.org', 'api', 'domain', withoutDomain],
    ['the domain api.example.org', 'api', 'domain', { ...deployedConfig, domain: otherDomain }],
    ['the subscription of ops@example.org to alarms', 'api', 'subscription', { ...deployedConfig, alarmEmail: 'none' }],
    ['the deletion protection of the tables', 'data', 'protection', without('deletionProtection')],
    ['the point-in-time recovery of the tables', 'data', 'protection', without('pointInTimeRecovery')],
    ['the tables, when the stack is deleted,', 'data', 'protection', without('keptAfterStack')],
  ])('and one that would remove %s stops, unless told so by name', async (lost, stack, name, config) => {
    expect(await compare(config)).toEqual([
      {
        stack,
        isError: true,
        sentence: `This deployment would remove ${lost} from production: put the option back into infra/settings.json, or add -c production.remove=${name} if that is meant.`,
      },
    ])
    expect(await compare({ ...config, mayRemove: [name] })).toEqual([])
    const others = (['domain', 'subscription', 'protection'] as const).filter((one) => one !== name)
    expect(await compare({ ...config, mayRemove: others })).toHaveLength(1)
  })

  it('and one that cannot be compared stops, where another account or a permission is the reason', async () => {
    const elsewhere = await compare({ ...deployedConfig, account: '999999999999' })
    expect(elsewhere.map(({ stack, isError }) => [stack, isError])).toEqual([
      ['data', true],
      ['api', true],
    ])
    expect(elsewhere[0]?.sentence).toContain(`it is in the account 999999999999, and AWS_PROFILE`)
    failure = awsError('AccessDenied', 'not authorized')
    const [denied] = await compare(deployedConfig)
    expect(denied?.sentence).toContain('the credentials do not allow cloudformation:GetTemplate.')
    expect(await compare({ ...deployedConfig, mayRemove: ['domain', 'subscription', 'protection'] })).toEqual([])
  })

  it('and a synth with expired credentials only warns', async () => {
    failure = awsError('ExpiredToken', 'The security token has expired')
    expect(await compare(deployedConfig)).toEqual([
      {
        stack: 'api',
        isError: false,
        sentence: 'production is not compared with what is deployed: The security token has expired',
      },
    ])
  })
})
