import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Template } from 'aws-cdk-lib/assertions'
import { type EnvironmentConfig, type EnvironmentName, environments } from '../../../infra/environments.ts'
import type { EnvironmentStage } from '../../../infra/stacks/environment-stage.ts'
import { createStageIn } from '../../fixtures/create-stage.ts'

const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-synth-'))
process.on('exit', () => rmSync(directory, { recursive: true }))

/** A resource of a template. Its properties are as unknown as a file's content. */
export interface Resource {
  readonly Properties: Readonly<Record<string, unknown>>
  readonly [attribute: string]: unknown
}

/** @see createStageIn */
export const createStage = (...stage: DropFirst<Parameters<typeof createStageIn>>): EnvironmentStage =>
  createStageIn(directory, ...stage)

type DropFirst<List extends readonly unknown[]> = List extends readonly [unknown, ...infer Rest] ? Rest : never

export interface Templates {
  readonly data: Template
  readonly api: Template
  readonly reference: Template
  readonly monitoring: Template
}

const asConfigured = new Map<EnvironmentName, Templates>()

/** The templates of an environment; those of its own configuration are synthesized once for all tests. */
export const synthesize = (environment: EnvironmentName, config?: Partial<EnvironmentConfig>): Templates => {
  const known = config === undefined ? asConfigured.get(environment) : undefined
  if (known !== undefined) return known
  const stage = createStage(environment, { config: { ...environments[environment], ...config } })
  const templates = {
    data: Template.fromStack(stage.data),
    api: Template.fromStack(stage.api),
    reference: Template.fromStack(stage.reference),
    monitoring: Template.fromStack(stage.monitoring),
  }
  if (config === undefined) asConfigured.set(environment, templates)
  return templates
}

/** The resources of one type by their logical ids. */
export const resourcesOf = (template: Template, type: string): Readonly<Record<string, Resource>> =>
  Object.fromEntries(
    Object.entries(template.findResources(type)).map(([id, resource]) => [
      id,
      { Properties: {}, ...resource } satisfies Resource,
    ]),
  )
