import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../command-line/user-error.ts'
import { asObject, asText, type JsonObject } from './json.ts'

export interface Resource {
  readonly logicalId: string
  readonly type: string
  /** As in the template: intrinsic functions are not resolved. */
  readonly properties: JsonObject
}

export interface Stack {
  readonly name: string
  readonly resources: ReadonlyMap<string, Resource>
  readonly outputs: JsonObject
  readonly templateFile: string
  /** The folder of each asset, by the key that it would have in the bucket of assets. */
  readonly assetFolders: ReadonlyMap<string, string>
}

/**
 * The stacks of one CDK Stage, read from a cloud assembly.
 *
 * @throws UserError when the folder has no such stage.
 */
export const readAssembly = (folder: string, stage: string): readonly Stack[] => {
  const nested = artifacts(folder).find(
    ({ type, properties }) => type === 'cdk:cloud-assembly' && properties['displayName'] === stage,
  )
  if (nested === undefined) throw new UserError(`The CDK app has no stage named ${stage}.`)
  const stageFolder = join(folder, asText(nested.properties['directoryName'], 'directoryName'))
  const stageArtifacts = artifacts(stageFolder)
  const assetFolders = new Map(
    stageArtifacts
      .filter(({ type }) => type === 'cdk:asset-manifest')
      .flatMap((manifest) => readAssets(stageFolder, manifest)),
  )
  return stageArtifacts
    .filter(({ type }) => type === 'aws:cloudformation:stack')
    .map((stack) => readStack(stageFolder, stack, assetFolders))
}

interface Artifact {
  readonly id: string
  readonly type: string
  readonly properties: JsonObject
}

const artifacts = (folder: string): readonly Artifact[] =>
  Object.entries(asObject(readJson(join(folder, 'manifest.json'))['artifacts'], 'artifacts')).map(([id, artifact]) => {
    const { type, properties } = asObject(artifact, id)
    return { id, type: asText(type, `the type of ${id}`), properties: asObject(properties ?? {}, id) }
  })

const readStack = (folder: string, artifact: Artifact, assetFolders: Stack['assetFolders']): Stack => {
  const templateFile = join(folder, asText(artifact.properties['templateFile'], 'templateFile'))
  const template = readJson(templateFile)
  return {
    name: asText(artifact.properties['stackName'] ?? artifact.id, 'stackName'),
    resources: new Map(
      Object.entries(asObject(template['Resources'] ?? {}, 'Resources')).map(([logicalId, resource]) => {
        const { Type, Properties } = asObject(resource, logicalId)
        const properties = asObject(Properties ?? {}, `${logicalId}.Properties`)
        return [logicalId, { logicalId, type: asText(Type, `${logicalId}.Type`), properties }]
      }),
    ),
    outputs: asObject(template['Outputs'] ?? {}, 'Outputs'),
    templateFile,
    assetFolders,
  }
}

const readAssets = (folder: string, manifest: Artifact): readonly (readonly [string, string])[] => {
  const { files } = readJson(join(folder, asText(manifest.properties['file'], 'file')))
  return Object.values(asObject(files ?? {}, 'files')).flatMap((file) => {
    const { source, destinations } = asObject(file, 'a file asset')
    const path = asObject(source, 'the source of an asset')['path']
    if (typeof path !== 'string') return []
    return Object.values(asObject(destinations, 'destinations')).map((destination) => {
      const key = asText(asObject(destination, 'a destination')['objectKey'], 'objectKey')
      return [key, join(folder, path)] as const
    })
  })
}

const readJson = (file: string): JsonObject => asObject(JSON.parse(readFileSync(file, 'utf8')), file)
