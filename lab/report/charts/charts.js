// What the report uses of Apache ECharts. scripts/lab-charts.sh bundles it.
import { BarChart, BoxplotChart, CustomChart, LineChart } from 'echarts/charts';
import { GridSimpleComponent, LegendPlainComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([
  BarChart, BoxplotChart, CustomChart, LineChart,
  GridSimpleComponent, LegendPlainComponent, TooltipComponent, SVGRenderer,
]);

export { init };
