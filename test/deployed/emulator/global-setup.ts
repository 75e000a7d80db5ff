import type { TestProject } from 'vitest/node'
import { bootstrap, deploy, synthesize } from './cdk.ts'
import { type Emulator, isEmulatorInstalled, startEmulator } from './emulator.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The emulator with both environments deployed; `null` where it is not installed. */
    readonly emulator: Pick<Emulator, 'endpoint' | 'folder'> | null
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
    await prepare(emulator.folder)
  } catch (error) {
    await emulator.stop()
    throw error
  }
  const { endpoint, folder } = emulator
  project.provide('emulator', { endpoint, folder })
  return emulator.stop
}

const prepare = async (folder: string): Promise<void> => {
  const start = performance.now()
  const tell = (what: string) => console.log(`${what} after ${((performance.now() - start) / 1_000).toFixed(0)} s`)
  await bootstrap(folder)
  tell('Bootstrapped')
  const assembly = await synthesize(folder)
  for (const environment of ['staging/*', 'production/*']) await deploy(assembly, [environment])
  tell('Deployed staging and production')
}
