import { tableOf } from '../../command-line/report.ts'
import { type EnvironmentName, environments } from '../../environments.ts'
import { type OptionName, operatorOptions, settingNames } from '../../operator-options.ts'
import { configure, type Settings } from '../../settings.ts'

/** The value of an option of an environment, and what set it. */
export interface Setting {
  readonly environment: EnvironmentName
  readonly option: OptionName
  /** `null` where there is none. */
  readonly value: string | number | null
  readonly source: 'command line' | 'infra/settings.json' | 'size' | 'default'
}

/** @throws UserError for what `configure` does not take */
export const reportSettings = (
  names: readonly EnvironmentName[],
  settings: Settings,
  onCommandLine: Settings,
): readonly Setting[] =>
  names.flatMap((environment) => {
    const config = configure(environment, { ...settings, ...onCommandLine })
    return settingNames.map((option) => {
      const key = `${environment}.${option}`
      const { show } = operatorOptions[option]
      const given = onCommandLine[key] ?? settings[key]
      const value = given ?? show(config) ?? null
      const isDefault = value === (show(environments[environment]) ?? null)
      const source =
        onCommandLine[key] !== undefined
          ? 'command line'
          : given !== undefined
            ? 'infra/settings.json'
            : isDefault
              ? 'default'
              : 'size'
      return { environment, option, value, source }
    })
  })

export const settingsText = (settings: readonly Setting[]): string =>
  tableOf(
    settings.map(({ environment, option, value, source }) => [
      `${environment}.${option}`,
      value === null ? '-' : String(value),
      source,
    ]),
  )
