import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { environmentNames } from '../../../../infra/environments.ts'
import { securityHeaders, strictTransportSecurity } from '../../../../infra/reference/security-headers.ts'
import { buildSite } from '../../../../infra/reference/site.ts'
import { createStage, everyOption, resourcesOf, synthesize } from '../synthesized.ts'

const { reference: withDomain } = synthesize('production', everyOption)

const only = (type: string, template: Template = withDomain) => {
  const [[id, resource] = [], ...more] = Object.entries(resourcesOf(template, type))
  expect(more).toEqual([])
  return { id, properties: resource?.Properties }
}

describe('the files of the reference', () => {
  // test/deployed tests it where CloudFormation alone knows the address of the API.
  it('are all of the site, with the address of the API', () => {
    const stage = createStage('production', everyOption, true)
    const { reference } = stage
    if (reference === undefined) throw new Error('The stage has no reference.')
    const assembly = join(stage.synth().directory, '..')
    const keys: string[] = only('Custom::CDKBucketDeployment', Template.fromStack(reference)).properties
      .SourceObjectKeys
    const uploaded = keys.flatMap((key) => {
      const folder = join(assembly, `asset.${key.replace(/\.zip$/, '')}`)
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'))
      return names.map((path) => [path, readFileSync(join(folder, path), 'utf8')])
    })
    const { contactUrl } = everyOption
    const site = buildSite({ baseUrl: 'https://api.example.org/v1', environment: 'production', contactUrl })
    expect(Object.fromEntries(uploaded)).toEqual(Object.fromEntries(site.map(({ path, body }) => [path, body])))
  })

  it('go with their stack, which leaves nothing behind', () => {
    expect(only('Custom::CDKBucketDeployment').properties.RetainOnDelete).toBe(false)
    for (const [id, { DeletionPolicy = 'Delete' }] of Object.entries(resourcesOf(withDomain))) {
      expect(DeletionPolicy, id).toBe('Delete')
    }
  })
})

describe('the distribution of the reference', () => {
  const { id, properties } = only('AWS::CloudFront::Distribution')
  const { DistributionConfig: config } = properties

  it('alone reads the bucket, and responds 404 for what is not there', () => {
    const { Statement } = only('AWS::S3::BucketPolicy').properties.PolicyDocument
    const reading = Statement.filter(({ Effect }: { Effect: string }) => Effect === 'Allow')
    expect(reading).toMatchObject([{ Principal: { Service: 'cloudfront.amazonaws.com' }, Action: 's3:GetObject' }])
    expect(JSON.stringify(reading[0].Condition)).toContain(`{"Ref":"${id}"}`)
    expect(config.CustomErrorResponses).toMatchObject([{ ErrorCode: 403, ResponseCode: 404 }])
  })

  it('serves HTTPS only, with the headers of the list on every response, and lets the page call the API alone', () => {
    const policy = only('AWS::CloudFront::ResponseHeadersPolicy')
    expect(config.DefaultCacheBehavior).toMatchObject({
      ViewerProtocolPolicy: 'redirect-to-https',
      ResponseHeadersPolicyId: { Ref: policy.id },
    })
    const { SecurityHeadersConfig: security, ...others } = policy.properties.ResponseHeadersPolicyConfig
    const custom: readonly Record<'Header' | 'Value', string>[] = others.CustomHeadersConfig.Items
    expect({
      'Content-Security-Policy': security.ContentSecurityPolicy.ContentSecurityPolicy,
      'X-Content-Type-Options': security.ContentTypeOptions === undefined ? undefined : 'nosniff',
      'X-Frame-Options': security.FrameOptions.FrameOption,
      'Referrer-Policy': security.ReferrerPolicy.ReferrerPolicy,
      'Access-Control-Allow-Origin': others.CorsConfig.AccessControlAllowOrigins.Items.join(),
      ...Object.fromEntries(custom.map(({ Header, Value }) => [Header, Value])),
    }).toEqual(securityHeaders('https://api.example.org'))
    expect(security.StrictTransportSecurity.AccessControlMaxAgeSec).toBe(strictTransportSecurity.seconds)
    expect(JSON.stringify([security, others])).not.toMatch(/Override":false/)
  })
})

describe.each(environmentNames)('the reference of %s', (environment) => {
  it('refers to nothing of the API but its id, which stays exported when a domain is set', () => {
    const { api, reference } = synthesize(environment)
    const [name, ...more] = new Set(JSON.stringify(reference.toJSON()).match(/(?<="Fn::ImportValue":")[^"]+/g))
    expect(more).toEqual([])
    for (const template of [api, synthesize(environment, everyOption).api]) {
      expect(JSON.stringify(template.toJSON()['Outputs'])).toContain(`"Name":"${name}"`)
    }
  })

  // With a domain it refers to nothing of the API.
  it.each([{}, everyOption])('is deployed after the API, which does not wait for it, with %o', (change) => {
    const { api, reference } = createStage(environment, change)
    expect(reference?.dependencies).toContain(api)
    expect(api.dependencies).not.toContain(reference)
  })

  it('is left out where AWS refuses the account CloudFront, and the API is deployed all the same', () => {
    const { stacks } = createStage(environment, { reference: false }).synth()
    expect(stacks.map(({ stackName }) => stackName.split('-').at(-1)).toSorted()).toEqual(['api', 'data'])
  })
})
