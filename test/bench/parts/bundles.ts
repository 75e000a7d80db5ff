import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleModule } from '../../../infra/bundling/function-bundle.ts'
import type { Section } from '../report/section.ts'

const modules: Readonly<Record<string, string>> = {
  authorizer: 'functions/authorizer/index.ts',
  'get-pet': 'functions/get-pet/index.ts',
  'create-pet': 'functions/create-pet/index.ts',
  'list-pets': 'functions/list-pets/index.ts',
  'floor of get-pet': 'test/bench/floors/get-pet.ts',
}

/** The bytes of each minified bundle. */
export const measureBundles = async (): Promise<readonly Section<{ bundle: string; bytes: number }>[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-bundles-'))
  const rows = Object.entries(modules).map(([bundle, module]) => {
    bundleModule(module, folder)
    return { bundle, bytes: statSync(join(folder, 'index.js')).size }
  })
  rmSync(folder, { recursive: true })
  return [{ title: 'Bundles: bytes, minified', columns: { bundle: 'bundle', bytes: 'bytes' }, rows }]
}
