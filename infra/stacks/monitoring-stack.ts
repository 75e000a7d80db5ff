import { ArnFormat, Duration, Stack, type StackProps } from 'aws-cdk-lib'
import { Alarm, AlarmStatusWidget, Dashboard } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import { type DashboardProps, dashboardRows } from '../constructs/monitoring/dashboard-widgets.ts'
import { MonthlyBudget } from '../constructs/monitoring/monthly-budget.ts'
import type { EnvironmentName } from '../environments.ts'

export interface MonitoringStackProps extends StackProps, DashboardProps {
  readonly environment: EnvironmentName
  readonly topic: ITopic
  readonly alarmNames: readonly string[]
}

/** The budget, and the dashboard where the operator wants one. */
export class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, props: MonitoringStackProps) {
    super(scope, id, props)
    const { environment, config, topic, alarmNames } = props
    new MonthlyBudget(this, 'Budget', { environment, topic, dollars: config.monthlyBudget })
    if (!config.dashboard) return
    const dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: `pet-adoption-${environment}`,
      defaultInterval: Duration.hours(12),
    })
    if (alarmNames.length > 0) dashboard.addWidgets(this.#alarmsWidget(alarmNames))
    for (const row of dashboardRows(props)) dashboard.addWidgets(...row)
  }

  #alarmsWidget(names: readonly string[]): AlarmStatusWidget {
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME
    const arnOf = (resourceName: string) =>
      this.formatArn({ service: 'cloudwatch', resource: 'alarm', resourceName, arnFormat })
    return new AlarmStatusWidget({
      title: 'Alarms',
      width: 24,
      height: 4,
      alarms: names.map((name) => Alarm.fromAlarmArn(this, name, arnOf(name))),
    })
  }
}
