import { type Engine, engines } from '../../../infra/local/database/database.ts'
import { sized } from '../../fixtures/size.ts'
import { hasJava } from '../../unit/infra/local/java.ts'

/** The engines that are tried on this machine. */
export const enginesHere: readonly Engine[] = hasJava ? sized<readonly Engine[]>(['dynalite'], engines) : ['dynalite']
