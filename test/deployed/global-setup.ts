import type { TestProject } from 'vitest/node'
import { bootstrap, deploy } from './cdk.ts'
import { type AwsVariables, type Emulator, isEmulatorInstalled, startEmulator } from './emulator.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The emulator with both environments deployed; `null` where it is not installed. */
    readonly emulator: { readonly endpoint: string; readonly folder: string; readonly variables: AwsVariables } | null
  }
}

/** Deploys both environments, for all tests of this folder, to an emulator that ends with them. */
export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  if (!(await isEmulatorInstalled())) {
    const missing = 'ministack is not on the PATH; "pip install ministack==1.5.33" installs it.'
    if (process.env['CI'] !== undefined) throw new Error(`The deployed tests cannot run: ${missing}`)
    console.warn(`The deployed tests are skipped: ${missing}`)
    project.provide('emulator', null)
    return undefined
  }
  const emulator = await startEmulator()
  try {
    await prepare(emulator)
  } catch (error) {
    await emulator.stop()
    throw error
  }
  const { endpoint, folder, variables } = emulator
  project.provide('emulator', { endpoint, folder, variables })
  return emulator.stop
}

const prepare = async (emulator: Emulator): Promise<void> => {
  const start = performance.now()
  const tell = (what: string) => console.log(`${what} after ${((performance.now() - start) / 1_000).toFixed(0)} s`)
  await bootstrap(emulator)
  tell('Bootstrapped')
  await deploy(emulator, ['staging/*', 'production/*'])
  tell('Deployed staging and production')
}
