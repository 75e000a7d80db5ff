import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from './json.ts'

export interface Resource {
  readonly logicalId: string
  readonly type: string
  /** As in the template: intrinsic functions are not resolved. */
  readonly properties: JsonObject
  readonly metadata: JsonObject
}

export interface Stack {
  readonly name: string
  readonly template: Template
  readonly resources: ReadonlyMap<string, Resource>
  /** The folder of each asset, by the key that it would have in the bucket of assets. */
  readonly assetFolders: ReadonlyMap<string, string>
}

interface Template {
  readonly Resources: Readonly<Record<string, ResourceInTemplate>>
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: unknown } }>>
}

interface ResourceInTemplate {
  readonly Type: string
  readonly Properties?: JsonObject
  readonly Metadata?: JsonObject
}

/** The stacks of one CDK Stage, read from a cloud assembly. */
export const readAssembly = (folder: string, stage: string): readonly Stack[] => {
  const stageFolder = join(folder, `assembly-${stage}`)
  const artifacts = Object.values(readJson<Manifest>(join(stageFolder, 'manifest.json')).artifacts)
  const assetFolders = new Map(
    artifacts.flatMap((artifact) =>
      artifact.type === 'cdk:asset-manifest' ? readAssets(stageFolder, artifact.properties.file) : [],
    ),
  )
  return artifacts.flatMap((artifact) => {
    if (artifact.type !== 'aws:cloudformation:stack') return []
    const { stackName, templateFile } = artifact.properties
    const template = readJson<Template>(join(stageFolder, templateFile))
    const resources = Object.entries(template.Resources).map(
      ([logicalId, { Type, Properties = {}, Metadata = {} }]) =>
        [logicalId, { logicalId, type: Type, properties: Properties, metadata: Metadata }] as const,
    )
    return [{ name: stackName, template, resources: new Map(resources), assetFolders }]
  })
}

interface Manifest {
  readonly artifacts: Readonly<Record<string, Artifact>>
}

type Artifact =
  | { readonly type: 'cdk:asset-manifest'; readonly properties: { readonly file: string } }
  | {
      readonly type: 'aws:cloudformation:stack'
      readonly properties: { readonly stackName: string; readonly templateFile: string }
    }

interface AssetManifest {
  readonly files: Readonly<Record<string, FileAsset>>
}

interface FileAsset {
  readonly source: { readonly path: string }
  readonly destinations: Readonly<Record<string, { readonly objectKey: string }>>
}

const readAssets = (folder: string, manifest: string): readonly (readonly [string, string])[] =>
  Object.values(readJson<AssetManifest>(join(folder, manifest)).files).flatMap(({ source, destinations }) =>
    Object.values(destinations).map(({ objectKey }) => [objectKey, join(folder, source.path)] as const),
  )

/** The CDK alone writes these files. */
const readJson = <Content>(file: string): Content => JSON.parse(readFileSync(file, 'utf8'))
