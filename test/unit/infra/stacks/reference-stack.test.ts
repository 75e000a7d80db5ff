import type { Stack } from 'aws-cdk-lib'
import { expect, it } from 'vitest'
import {
  createStage,
  everyOption,
  findProperties,
  findResources,
  synthesizeTemplates,
} from '../../../fixtures/environment/templates.ts'

// These tests read the templates. Those of test/deployed read the files from the emulator's CloudFront.
const { api, reference } = synthesizeTemplates('production')
const apiWithDomain = synthesizeTemplates('production', everyOption).api

const findImports = (): readonly string[] => {
  const imports = JSON.stringify(reference.toJSON()).match(/(?<="Fn::ImportValue":")[^"]+/g)
  return [...new Set(imports)]
}

it.each([
  { name: 'the default endpoint', template: api },
  { name: 'a domain', template: apiWithDomain },
])('the API stack with $name exports the one value that the reference stack imports', ({ template }) => {
  const imports = findImports()

  expect(imports).toHaveLength(1)
  const exportOfImport = { Export: { Name: imports[0] } }
  expect(Object.values(template.findOutputs('*'))).toContainEqual(expect.objectContaining(exportOfImport))
})

// The reference stack of an environment with a domain imports nothing from the API stack, so its order is declared.
it.each([
  { name: 'the default endpoint', change: {} },
  { name: 'a domain', change: everyOption },
])('the reference stack is deployed after an API stack with $name', ({ change }) => {
  const stage = createStage('production', change)
  const listDependencies = (stack?: Stack) => stack?.dependencies.map(({ node }) => node.id)

  expect(listDependencies(stage.reference)).toContain('api')
  expect(listDependencies(stage.api)).not.toContain('reference')
})

// AWS may refuse CloudFront to a new account, which can then turn the reference off.
it('an environment with reference: false has no reference', () => {
  expect(createStage('production', { reference: false }).reference).toBeUndefined()
})

it('the bucket of the reference is private and encrypted', () => {
  expect(findProperties(reference, 'AWS::S3::Bucket')).toMatchObject([
    {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
      },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    },
  ])
})

// S3 responds 403 for a missing file, because CloudFront may not list the bucket.
it('CloudFront serves the reference by HTTPS and compressed, and responds 404 for a missing file', () => {
  expect(findProperties(reference, 'AWS::CloudFront::Distribution')).toMatchObject([
    {
      DistributionConfig: {
        CustomErrorResponses: [
          { ErrorCode: 403, ResponseCode: 404, ResponsePagePath: '/index.html', ErrorCachingMinTTL: 10 },
        ],
        DefaultCacheBehavior: { Compress: true, ViewerProtocolPolicy: 'redirect-to-https' },
        DefaultRootObject: 'index.html',
        HttpVersion: 'http2and3',
      },
    },
  ])
})

it('the reference has the security headers in place of those of the bucket', () => {
  const [policy] = findProperties(reference, 'AWS::CloudFront::ResponseHeadersPolicy')

  expect(policy.ResponseHeadersPolicyConfig).toMatchObject({
    CorsConfig: {
      AccessControlAllowOrigins: { Items: ['*'] },
      AccessControlAllowMethods: { Items: ['GET', 'HEAD'] },
      AccessControlAllowCredentials: false,
      OriginOverride: true,
    },
    CustomHeadersConfig: {
      Items: [
        {
          Header: 'Permissions-Policy',
          Value: 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
          Override: true,
        },
        { Header: 'Cross-Origin-Opener-Policy', Value: 'same-origin', Override: true },
        { Header: 'Cross-Origin-Resource-Policy', Value: 'cross-origin', Override: true },
      ],
    },
    SecurityHeadersConfig: {
      ContentTypeOptions: { Override: true },
      FrameOptions: { FrameOption: 'DENY', Override: true },
      ReferrerPolicy: { ReferrerPolicy: 'no-referrer', Override: true },
      // Two years.
      StrictTransportSecurity: { AccessControlMaxAgeSec: 63_072_000, IncludeSubdomains: true, Override: true },
    },
  })
})

it('the page loads only its own files, calls only the API, and is in no frame', () => {
  const [policy] = findProperties(reference, 'AWS::CloudFront::ResponseHeadersPolicy')
  const { ContentSecurityPolicy, Override } =
    policy.ResponseHeadersPolicyConfig.SecurityHeadersConfig.ContentSecurityPolicy
  const [, parts]: [string, readonly unknown[]] = ContentSecurityPolicy['Fn::Join']

  expect(Override).toBe(true)
  expect(parts).toEqual([
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src https://",
    { 'Fn::ImportValue': expect.any(String) },
    '.execute-api.',
    { Ref: 'AWS::Region' },
    '.',
    { Ref: 'AWS::URLSuffix' },
    "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ])
})

const uploads = findProperties(reference, 'Custom::CDKBucketDeployment')

// The files of earlier releases stay, because projects of callers name the URL of the package that they have installed.
it('a deployment uploads all files of the reference, and removes none', () => {
  expect(uploads).toMatchObject([{ Prune: false }])
  expect(uploads[0]).not.toHaveProperty('Exclude')
})

it('browsers ask for each file of the reference whether it has changed', () => {
  expect(uploads).toMatchObject([{ SystemMetadata: { 'cache-control': 'no-cache' } }])
})

it('deleting the stack deletes the upload, then empties the bucket, and then deletes it', () => {
  const [bucketId] = Object.keys(findResources(reference, 'AWS::S3::Bucket'))
  const emptying = findResources(reference, 'Custom::S3AutoDeleteObjects')
  const [emptyingId] = Object.keys(emptying)

  expect(Object.values(emptying)).toMatchObject([{ Properties: { BucketName: { Ref: bucketId } } }])
  const [upload] = Object.values(findResources(reference, 'Custom::CDKBucketDeployment'))
  expect(upload?.['DependsOn']).toContain(emptyingId)
})
