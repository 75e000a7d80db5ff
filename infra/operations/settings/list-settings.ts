import { environmentNames, environments } from '../../environments.ts'
import { operatorOptions, settingNames } from '../../operator-options.ts'
import { configure, type Settings } from '../../settings.ts'

/**
 * The value of each option of the environments, `null` where there is none, and what set it.
 *
 * @throws UserError for what `configure` does not take
 */
export const listSettings = (settings: Settings) =>
  environmentNames.flatMap((environment) => {
    const config = configure(environment, settings)
    return settingNames.map((option) => {
      const { show } = operatorOptions[option]
      const given = settings[`${environment}.${option}`]
      const isDefault = show(config) === show(environments[environment])
      const source = given !== undefined ? 'infra/settings.json' : isDefault ? 'default' : 'size'
      return { environment, option, value: given ?? show(config) ?? null, source } as const
    })
  })
