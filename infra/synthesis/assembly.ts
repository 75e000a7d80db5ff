import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from './json.ts'

export interface Resource {
  readonly logicalId: string
  readonly type: string
  /** As in the template: intrinsic functions are not resolved. */
  readonly properties: JsonObject
  /** With the path of its asset from the folder of the template: `aws:asset:path`. */
  readonly metadata: JsonObject
}

export interface Stack {
  readonly name: string
  /** Of its template. */
  readonly folder: string
  readonly template: Template
  readonly resources: ReadonlyMap<string, Resource>
}

interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: JsonObject; readonly Metadata?: JsonObject }>
  >
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: unknown } }>>
}

/** The stacks of one CDK Stage, read from a cloud assembly. */
export const readAssembly = (assembly: string, stage: string): readonly Stack[] => {
  const folder = join(assembly, `assembly-${stage}`)
  const { artifacts } = readJson<Manifest>(join(folder, 'manifest.json'))
  return Object.values(artifacts).flatMap(({ type, properties: { stackName, templateFile } = {} }) => {
    if (type !== 'aws:cloudformation:stack' || stackName === undefined || templateFile === undefined) return []
    const template = readJson<Template>(join(folder, templateFile))
    const resources = Object.entries(template.Resources).map(
      ([logicalId, { Type: type, Properties: properties = {}, Metadata: metadata = {} }]) =>
        [logicalId, { logicalId, type, properties, metadata }] as const,
    )
    return [{ name: stackName, folder, template, resources: new Map(resources) }]
  })
}

interface Manifest {
  readonly artifacts: Readonly<
    Record<string, { readonly type: string; readonly properties?: { stackName?: string; templateFile?: string } }>
  >
}

/** The CDK alone writes these files. */
const readJson = <Content>(file: string): Content => JSON.parse(readFileSync(file, 'utf8'))
