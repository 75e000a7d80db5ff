import { defaults, type EnvironmentConfig, type EnvironmentName, presets } from '../../../infra/environments.ts'

const { staging, production } = defaults

const protectedStaging: EnvironmentConfig = { ...staging, data: 'protected' }

/** Versions of the service that the tests deploy to the emulator: the settings of the environments of each one. */
export const versions = {
  first: defaults,
  /** Staging bans a key after its first refusal. Production has the preset `small`. */
  changed: {
    staging: { ...staging, banPolicy: { ...staging.banPolicy, refusalsBeforeBan: 1 } },
    production: { ...production, ...presets.small },
  },
  /** Staging is protected as production is. */
  protected: { staging: protectedStaging },
  /** The version `protected` with a stack `api` that fails when all its resources have been created. */
  failing: { staging: protectedStaging },
} satisfies Readonly<Record<string, Partial<Readonly<Record<EnvironmentName, EnvironmentConfig>>>>>

export type EmulatedVersion = keyof typeof versions
