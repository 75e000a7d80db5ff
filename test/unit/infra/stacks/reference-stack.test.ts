import { expect, it } from 'vitest'
import {
  createStage,
  everyOption,
  findProperties,
  findResources,
  synthesizeTemplates,
} from '../../../fixtures/environment/templates.ts'

// These tests read the templates. Those of test/deployed read the files from the emulator's CloudFront.
const { reference } = synthesizeTemplates('production')

// CloudFormation deletes no export that another stack still imports, so a release that takes a domain into use would
// fail. environment-stage.test.ts shows that the API stack of each environment has the exports of its own release.
it('an API stack with a domain in use exports what the reference stack of the release before imports', () => {
  const imports = JSON.stringify(reference.toJSON()).match(/(?<="Fn::ImportValue":")[^"]+/g)
  const [importedName, ...otherNames] = new Set(imports)
  const { api } = synthesizeTemplates('production', everyOption)

  expect(otherNames).toEqual([])
  const exportOfImport = { Export: { Name: importedName } }
  expect(Object.values(api.findOutputs('*'))).toContainEqual(expect.objectContaining(exportOfImport))
})

// Such a reference stack imports nothing from the API stack, so its order is declared.
it('the reference stack is deployed after an API stack with a domain in use', () => {
  const dependencies = createStage('production', everyOption).reference?.dependencies

  expect(dependencies?.map(({ node }) => node.id)).toContain('api')
})

// AWS may refuse CloudFront to a new account, which can then turn the reference off.
it('an environment with reference: false has no reference', () => {
  expect(createStage('production', { reference: false }).reference).toBeUndefined()
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

/** The properties of the resources by which CDK uploads files to a bucket. */
const uploads = findProperties(reference, 'Custom::CDKBucketDeployment')

// The files of earlier releases stay, because projects of callers name the URL of the package that they have installed.
it('a deployment uploads all files of the reference, and removes none', () => {
  expect(uploads).toMatchObject([{ Prune: false }])
  expect(uploads[0]).not.toHaveProperty('Exclude')
})

it('browsers ask for each file of the reference whether it has changed', () => {
  expect(uploads).toMatchObject([{ SystemMetadata: { 'cache-control': 'no-cache' } }])
})

// CloudFormation deletes a resource before those that it depends on.
it('deleting the stack deletes the upload, then empties the bucket, and then deletes it', () => {
  const [bucketId] = Object.keys(findResources(reference, 'AWS::S3::Bucket'))
  const emptying = findResources(reference, 'Custom::S3AutoDeleteObjects')
  const [emptyingId] = Object.keys(emptying)

  expect(Object.values(emptying)).toMatchObject([{ Properties: { BucketName: { Ref: bucketId } } }])
  const [upload] = Object.values(findResources(reference, 'Custom::CDKBucketDeployment'))
  expect(upload?.['DependsOn']).toContain(emptyingId)
})
