import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import {
  type EnvironmentConfig,
  type EnvironmentName,
  environmentNames,
  environments,
} from '../../../../../infra/environments.ts'
import {
  cacheControl,
  securityHeaders,
  strictTransportSecurity,
} from '../../../../../infra/reference/security-headers.ts'
import { buildSite } from '../../../../../infra/reference/site.ts'
import { createStage, options, resourcesOf, synthesize } from '../../synthesized.ts'

const { domain } = options.production
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
      RetentionInDays: environments[environment].logs.retentionDays,
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
    expect(security.ContentSecurityPolicy.ContentSecurityPolicy).toContain(
      "connect-src 'self' https://api.example.org;",
    )
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

/** The properties of an upload in the template. */
interface Upload {
  readonly Type: string
  readonly DependsOn?: readonly string[]
  readonly Properties: {
    readonly SourceObjectKeys: readonly string[]
    readonly SourceMarkers?: readonly Readonly<Record<string, unknown>>[]
    readonly Prune: boolean
    readonly SystemMetadata: Readonly<Record<string, string>>
  }
}

const uploadsOf = (environment: EnvironmentName, config: Partial<EnvironmentConfig> = {}) => {
  const stage = createStage(environment, { config: { ...environments[environment], ...config } }, true)
  const assembly = stage.synth()
  const { Resources }: { Resources: Record<string, Upload> } = assembly.getStackArtifact(
    stage.reference.artifactId,
  ).template
  return Object.entries(Resources)
    .filter(([, { Type }]) => Type === 'Custom::CDKBucketDeployment')
    .map(([id, upload]) => ({ id, ...upload, files: filesOf(upload, join(assembly.directory, '..')) }))
}

const filesOf = ({ Properties }: Upload, assetsFolder: string) =>
  Properties.SourceObjectKeys.flatMap((key, index) => {
    const folder = join(assetsFolder, `asset.${key.replace(/\.zip$/, '')}`)
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => ({
        path: relative(folder, join(parentPath, name)),
        body: readFileSync(join(parentPath, name)),
        markers: Properties.SourceMarkers?.[index] ?? {},
        metadata: Properties.SystemMetadata,
      }))
  })

const byPath = (one: { readonly path: string }, other: { readonly path: string }) => (one.path < other.path ? -1 : 1)

describe('the files of the reference', () => {
  const ofStaging = uploadsOf('staging')

  it('are all of the site, each with its content type and caching, the base URL and the contact', () => {
    const contactUrl = 'https://example.org/keys'
    const found = uploadsOf('production', { domain, contactUrl }).flatMap(({ files }) => files)
    const expected = buildSite({ baseUrl: 'https://api.example.org/v1', environment: 'production', contactUrl })
    expect(found.toSorted(byPath)).toEqual(
      expected
        .map(({ path, body, contentType, caching }) => ({
          path,
          body: Buffer.from(body),
          markers: {},
          metadata: { 'content-type': contentType, 'cache-control': cacheControl[caching] },
        }))
        .toSorted(byPath),
    )
    const contract = JSON.parse(String(found.find(({ path }) => path === 'openapi.json')?.body))
    expect(contract.servers).toMatchObject([{ url: 'https://api.example.org/v1' }])
    expect(contract.info.contact.url).toBe(contactUrl)
  })

  it('have the address of API Gateway once it is known', () => {
    const found = ofStaging.flatMap(({ files }) => files)
    const { body, markers } = found.find(({ path }) => path === 'openapi.json') ?? { body: '', markers: {} }
    const given = [
      ['Fn::ImportValue', 'a1b2c3d4e5'],
      ['AWS::Region', 'eu-central-1'],
      ['AWS::URLSuffix', 'amazonaws.com'],
    ] as const
    const deployed = Object.entries(markers).reduce((text, [marker, value]) => {
      const [, known = ''] = given.find(([name]) => JSON.stringify(value).includes(name)) ?? []
      return text.replaceAll(marker, known)
    }, String(body))
    expect(JSON.parse(deployed).servers).toMatchObject([
      { url: 'https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com/v1' },
    ])
  })

  it('stay when a release brings others, which are all there before the page names them', () => {
    const immutable = ofStaging.filter(({ Properties }) => Properties.SystemMetadata['cache-control'] !== 'no-cache')
    expect(immutable).not.toHaveLength(0)
    for (const { DependsOn, Properties } of ofStaging) {
      expect(Properties.Prune).toBe(false)
      if (Properties.SystemMetadata['cache-control'] !== 'no-cache') continue
      expect(DependsOn).toEqual(expect.arrayContaining(immutable.map(({ id }) => id)))
    }
  })
})
