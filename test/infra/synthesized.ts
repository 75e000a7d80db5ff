import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { afterAll } from 'vitest'
import cdk from '../../cdk.json' with { type: 'json' }
import { readFunctionFolders } from '../../infra/constructs/function-folders.ts'
import { readContract } from '../../infra/contract/contract.ts'
import { type EnvironmentConfig, type EnvironmentName, environments } from '../../infra/environments.ts'
import { EnvironmentStage, type EnvironmentStageProps } from '../../infra/stacks/environment-stage.ts'

const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-synth-'))
afterAll(() => rmSync(directory, { recursive: true }))

/** A resource of a template. Its properties are as unknown as a file's content. */
export interface Resource {
  readonly Properties: Readonly<Record<string, unknown>>
  readonly [attribute: string]: unknown
}

/**
 * One environment without its bundles, which no template shows and which take most of the time.
 *
 * @param withAssets whether the other assets are there, beside the templates
 */
export const createStage = (
  environment: EnvironmentName,
  change: Partial<EnvironmentStageProps> = {},
  withAssets = false,
): EnvironmentStage => {
  const app = new App({
    context: { ...cdk.context, 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': !withAssets },
    outdir: mkdtempSync(join(directory, environment)),
  })
  return new EnvironmentStage(app, environment, {
    config: environments[environment],
    operations: readContract().operations,
    functionFolders: readFunctionFolders(),
    clock: () => Date.parse('2026-11-01'),
    ...change,
  })
}

export interface Templates {
  readonly data: Template
  readonly api: Template
  readonly reference: Template
  readonly monitoring: Template
}

export const synthesize = (environment: EnvironmentName, config: Partial<EnvironmentConfig> = {}): Templates => {
  const stage = createStage(environment, { config: { ...environments[environment], ...config } })
  return {
    data: Template.fromStack(stage.data),
    api: Template.fromStack(stage.api),
    reference: Template.fromStack(stage.reference),
    monitoring: Template.fromStack(stage.monitoring),
  }
}

/** The resources of one type by their logical ids. */
export const resourcesOf = (template: Template, type: string): Readonly<Record<string, Resource>> =>
  Object.fromEntries(
    Object.entries(template.findResources(type)).map(([id, resource]) => [
      id,
      { Properties: {}, ...resource } satisfies Resource,
    ]),
  )
