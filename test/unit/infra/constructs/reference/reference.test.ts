import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { defaults, environmentNames } from '../../../../../infra/environments.ts'
import { securityHeaders, strictTransportSecurity } from '../../../../../infra/reference/security-headers.ts'
import { options, resourcesOf, synthesize } from '../../synthesized.ts'

const templates = { staging: synthesize('staging'), production: synthesize('production') }
const withDomain = synthesize('production', options.production).reference

describe.each(environmentNames)('the reference of %s', (environment) => {
  const { api, reference } = templates[environment]

  it('is in a bucket that is emptied with its stack', () => {
    reference.resourceCountIs('Custom::S3AutoDeleteObjects', 1)
  })

  it('is read by its own distribution alone, which may list it so that a missing file is 404', () => {
    const [distributionId] = Object.keys(resourcesOf(reference, 'AWS::CloudFront::Distribution'))
    reference.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: Match.objectLike({
        Statement: Match.arrayWith([
          Match.objectLike({
            Principal: { Service: 'cloudfront.amazonaws.com' },
            Action: ['s3:GetObject', 's3:ListBucket'],
            Condition: {
              StringEquals: { 'AWS:SourceArn': { 'Fn::Join': ['', Match.arrayWith([{ Ref: distributionId }])] } },
            },
          }),
        ]),
      }),
    })
    reference.hasResourceProperties('AWS::CloudFront::OriginAccessControl', {
      OriginAccessControlConfig: {
        OriginAccessControlOriginType: 's3',
        SigningBehavior: 'always',
        SigningProtocol: 'sigv4',
      },
    })
  })

  it('is served by HTTPS only, compressed, over HTTP/2 and 3 and both IPs, to GET and HEAD', () => {
    reference.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: {
        Enabled: true,
        HttpVersion: 'http2and3',
        IPV6Enabled: true,
        DefaultRootObject: 'index.html',
        DefaultCacheBehavior: {
          ViewerProtocolPolicy: 'redirect-to-https',
          Compress: true,
          AllowedMethods: ['GET', 'HEAD'],
        },
        CustomErrorResponses: [{ ErrorCode: 404, ResponseCode: 404, ResponsePagePath: '/index.html' }],
        Origins: [{ OriginAccessControlId: Match.anyValue(), S3OriginConfig: Match.anyValue() }],
      },
    })
    reference.hasOutput('ReferenceUrl', { Value: { 'Fn::Join': ['', Match.arrayWith(['https://'])] } })
  })

  it('is uploaded by a function that can list the bucket, write into it, and read the assets', () => {
    const statements = Object.values(resourcesOf(reference, 'AWS::IAM::Policy')).flatMap(({ Properties }) =>
      JSON.stringify(Properties['PolicyDocument']).match(/"Action":("[^"]+"|\[[^\]]+\])/g),
    )
    expect(statements.toSorted()).toEqual(
      [
        '"Action":"s3:ListBucket"',
        '"Action":"s3:PutObject"',
        '"Action":"s3:GetObject"',
        '"Action":["logs:CreateLogStream","logs:PutLogEvents"]',
      ].toSorted(),
    )
  })

  it('says in its logs no more than its retention allows', () => {
    const [logGroup] = Object.keys(resourcesOf(reference, 'AWS::Logs::LogGroup'))
    for (const { Properties } of Object.values(resourcesOf(reference, 'AWS::Lambda::Function'))) {
      expect(Properties['LoggingConfig']).toEqual({ LogGroup: { Ref: logGroup } })
    }
    reference.hasResourceProperties('AWS::Logs::LogGroup', {
      RetentionInDays: defaults[environment].logRetentionDays,
    })
  })

  it('refers to nothing of the API but its id, which stays exported when a domain is set', () => {
    const imports = new Set(
      [...JSON.stringify(reference.toJSON()).matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(([, name]) => name),
    )
    expect(imports.size).toBe(1)
    const exported = (template: typeof api) =>
      Object.values<{ Export?: { Name: string } }>(template.toJSON()['Outputs']).map(({ Export }) => Export?.Name)
    expect(exported(api)).toEqual(expect.arrayContaining([...imports]))
    expect(exported(synthesize(environment, options[environment]).api)).toEqual(expect.arrayContaining([...imports]))
  })
})

describe('the headers of the reference', () => {
  const {
    SecurityHeadersConfig: security,
    CustomHeadersConfig: custom,
    CorsConfig: cors,
  } = Object(
    Object.values(resourcesOf(withDomain, 'AWS::CloudFront::ResponseHeadersPolicy'))[0]?.Properties[
      'ResponseHeadersPolicyConfig'
    ],
  )

  it('are those of the list, with the origin of the API as the only one that the page may call', () => {
    expect({
      'Content-Security-Policy': security.ContentSecurityPolicy.ContentSecurityPolicy,
      'X-Content-Type-Options': security.ContentTypeOptions === undefined ? undefined : 'nosniff',
      'X-Frame-Options': security.FrameOptions.FrameOption,
      'Referrer-Policy': security.ReferrerPolicy.ReferrerPolicy,
      'Access-Control-Allow-Origin': cors.AccessControlAllowOrigins.Items.join(),
      ...Object.fromEntries(custom.Items.map(({ Header, Value }: Readonly<Record<string, string>>) => [Header, Value])),
    }).toEqual(securityHeaders('https://api.example.org'))
    expect(security.ContentSecurityPolicy.ContentSecurityPolicy).toContain('connect-src https://api.example.org;')
  })

  it('ask browsers for HTTPS from then on', () => {
    expect(security.StrictTransportSecurity).toMatchObject({
      AccessControlMaxAgeSec: strictTransportSecurity.seconds,
      IncludeSubdomains: strictTransportSecurity.includeSubdomains,
    })
  })

  it('are on every response, instead of those of the bucket', () => {
    const overrides = [...JSON.stringify({ security, custom, cors }).matchAll(/"(?:Origin)?Override":(\w+)/g)]
    expect(overrides.length).toBeGreaterThan(0)
    expect(overrides.map(([, value]) => value)).toEqual(overrides.map(() => 'true'))
    const [policy] = Object.keys(resourcesOf(withDomain, 'AWS::CloudFront::ResponseHeadersPolicy'))
    withDomain.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: { DefaultCacheBehavior: { ResponseHeadersPolicyId: { Ref: policy } } },
    })
  })
})
