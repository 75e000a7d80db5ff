import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaults, type EnvironmentConfig, type EnvironmentName } from '../../../../../infra/environments.ts'
import { cacheControl } from '../../../../../infra/reference/security-headers.ts'
import { buildSite } from '../../../../../infra/reference/site.ts'
import { createStage, options } from '../../synthesized.ts'

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
  const stage = createStage(environment, { config: { ...defaults[environment], ...config } }, true)
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
    const found = uploadsOf('production', { domain: options.production.domain, contactUrl }).flatMap(
      ({ files }) => files,
    )
    const expected = buildSite({ baseUrl: 'https://api.example.org/v1', environment: 'production', contactUrl })
    expect(found.toSorted(byPath)).toEqual(
      expected
        .map(({ path, body, contentType }) => ({
          path,
          body: Buffer.from(body),
          markers: {},
          metadata: { 'content-type': contentType, 'cache-control': cacheControl },
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

  it('are kept by the uploads of others', () => {
    expect(ofStaging.map(({ Properties }) => Properties.Prune)).toEqual(ofStaging.map(() => false))
  })
})
