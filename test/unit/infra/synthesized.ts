import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Template } from 'aws-cdk-lib/assertions'
import { afterAll } from 'vitest'
import { type EnvironmentConfig, type EnvironmentName, environments } from '../../../infra/environments.ts'
import type { EnvironmentStage } from '../../../infra/stacks/environment-stage.ts'
import { createStageIn } from '../../fixtures/create-stage.ts'

const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-synth-'))
afterAll(() => rmSync(directory, { recursive: true }))

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
