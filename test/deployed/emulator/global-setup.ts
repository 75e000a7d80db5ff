import type { TestProject } from 'vitest/node'
import { skipsWithout } from '../../fixtures/size.ts'
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
  const isInstalled = isEmulatorInstalled()
  if (
    skipsWithout(
      isInstalled,
      'Nothing is deployed: there is no ministack. "pip install ministack==1.5.33" installs it.',
    )
  ) {
    project.provide('emulator', null)
    return undefined
  }
  const start = performance.now()
  const tell = (what: string) => console.log(`${what} after ${((performance.now() - start) / 1_000).toFixed(0)} s`)
  const { endpoint, folder, stop } = await startEmulator()
  try {
    await bootstrap(folder)
    tell('Bootstrapped')
    await deploy(await synthesize(folder), 'staging/*', 'production/*')
    tell('Deployed staging and production')
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('emulator', { endpoint, folder })
  return stop
}
